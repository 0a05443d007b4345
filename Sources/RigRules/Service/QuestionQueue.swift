import DequeModule

/// What operators ask that takes its time, and who is answered next; pure.
///
/// Never so much is answered at once that no connection to the catalogue is left for the rig itself, and who asks a lot
/// waits behind himself: of the users that wait, the one with the least under way is next.
package struct QuestionQueue<Question: Sendable>: Sendable {
    /// What became of a question.
    package enum Admission: Hashable, Sendable {
        case waits
        /// Too much waits already, and why.
        case refused(String)
    }

    /// The numbers that wait: of all users, and of one.
    private static var most: (all: Int, ofOne: Int) { (64, 16) }
    /// The number that is answered at once: the catalogue has five connections.
    private static var mostAnswering: Int { 3 }

    private var waiting: Deque<(user: String, question: Question)> = []
    /// The number of questions of each user that are being answered.
    private var answering: [String: Int] = [:]

    package init() {}

    /// Takes a question.
    ///
    /// - Parameter user: the name behind the key of who asks.
    package mutating func add(_ question: Question, of user: String) -> Admission {
        guard waiting.count(where: { $0.user == user }) < Self.most.ofOne else {
            return .refused("\(Self.most.ofOne) questions of yours wait for the coordinator already; ask again.")
        }
        guard waiting.count < Self.most.all else {
            return .refused("\(Self.most.all) questions wait for the coordinator already; ask again.")
        }
        waiting.append((user, question))
        return .waits
    }

    /// The question to answer now, and whose it is; nil where none waits, or enough are being answered.
    package mutating func next() -> (user: String, question: Question)? {
        guard answering.values.reduce(0, +) < Self.mostAnswering,
            let index = waiting.indices.min(by: { busyness(waiting[$0].user) < busyness(waiting[$1].user) })
        else { return nil }
        let next = waiting.remove(at: index)
        answering[next.user, default: 0] += 1
        return next
    }

    /// A question of a user is answered.
    package mutating func answered(_ user: String) {
        answering[user] = busyness(user) > 1 ? busyness(user) - 1 : nil
    }

    private func busyness(_ user: String) -> Int { answering[user] ?? 0 }
}
