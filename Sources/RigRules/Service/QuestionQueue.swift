package import CaptureModel
import DequeModule

/// Questions of operators that take time to answer, and whose is answered next; pure.
///
/// Only so many are answered at once that a connection to the catalogue is always left for the rig itself. A user who
/// asks a lot waits behind their own questions: of the users that wait, the one with the fewest under way is next.
package struct QuestionQueue<Question: Sendable>: Sendable {
    /// What became of a question.
    package enum Admission: Hashable, Sendable {
        case waits
        /// Too many wait already: one sentence for whoever asked.
        case refused(String)
    }

    /// The most that may wait: for all users, and for one.
    private static var most: (all: Int, ofOne: Int) { (64, 16) }
    /// The most that are answered at once: the catalogue has five connections.
    private static var mostAnswering: Int { 3 }

    private var waiting: Deque<(user: NodeName, question: Question)> = []
    /// The number of questions of each user that are being answered.
    private var answering: [NodeName: Int] = [:]

    package init() {}

    /// Takes a question.
    ///
    /// - Parameter user: the name that the caller's key belongs to.
    package mutating func add(_ question: Question, of user: NodeName) -> Admission {
        guard waiting.count(where: { $0.user == user }) < Self.most.ofOne else {
            return .refused("\(Self.most.ofOne) of your questions wait for the coordinator already; ask again later.")
        }
        guard waiting.count < Self.most.all else {
            return .refused("\(Self.most.all) questions wait for the coordinator already; ask again later.")
        }
        waiting.append((user, question))
        return .waits
    }

    /// The question to answer now, and whose it is; nil where none waits, or enough are being answered.
    package mutating func next() -> (user: NodeName, question: Question)? {
        guard answering.values.reduce(0, +) < Self.mostAnswering,
            let index = waiting.indices.min(by: { busyness(waiting[$0].user) < busyness(waiting[$1].user) })
        else { return nil }
        let next = waiting.remove(at: index)
        answering[next.user, default: 0] += 1
        return next
    }

    /// Notes that a question of a user was answered.
    package mutating func answered(_ user: NodeName) {
        answering[user] = busyness(user) > 1 ? busyness(user) - 1 : nil
    }

    private func busyness(_ user: NodeName) -> Int { answering[user] ?? 0 }
}
