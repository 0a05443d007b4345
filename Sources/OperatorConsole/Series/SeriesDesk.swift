import CaptureModel
import HTTPTypes
import OperatorAccess
import Programs
import RigProtocol
import RigTransport
import Synchronization

/// The series that browsers and programs began: they go on without them, and end with the console.
final class SeriesDesk: Sendable {
    /// How many are under way at once.
    static let most = 8
    /// How many are remembered, with those that are over.
    static let mostRemembered = 32
    /// How many remarks of each.
    private static let mostRemarks = 20

    /// How one is.
    struct Standing: Sendable {
        enum State: String, Sendable, Encodable, CaseIterable { case underWay, stopped, over }

        /// Which one; never used again while the console runs.
        let number: Int
        let series: CaptureSeries
        var state = State.underWay
        /// How many have been asked for.
        var reached = 0
        /// Those that were accepted, in order.
        var captures: [UniqueID] = []
        /// What went wrong, the latest last.
        var remarks: [String] = []

        fileprivate mutating func take(_ number: Int, _ event: CaptureSeries.Event) {
            reached = max(reached, number)
            switch event {
            case .fired(let reply): captures.append(reply.uniqueID)
            case .refused(let refusal): remark(number, ([refusal.message] + refusal.details).joined(separator: " "))
            case .waits(let other): remark(number, "waits for capture \(other); those after it are later, too.")
            case .unanswered(let error): remark(number, "\(error)")
            }
        }

        fileprivate mutating func remark(_ number: Int, _ words: String) { remark("Number \(number): \(words)") }

        fileprivate mutating func remark(_ words: String) {
            remarks = (remarks + [words.printableLine]).suffix(SeriesDesk.mostRemarks)
        }
    }

    private struct Desk {
        var standings: [Standing] = []
        var tasks: [Int: Task<Void, Never>] = [:]
        var last = 0
    }

    private let client: OperatorClient
    private let desk = Mutex(Desk())

    init(_ client: OperatorClient) { self.client = client }

    /// The newest first.
    var standings: [Standing] { desk.withLock { $0.standings.reversed() } }

    /// The series that a request began; nil where it began none.
    func standing(of requestID: String) -> Standing? {
        desk.withLock { $0.standings.first { $0.series.first.requestID == requestID } }
    }

    /// Begins one; the same request, made again, is the same series.
    ///
    /// - Parameter remark: what is to be said of it from the start.
    /// - Throws: ``ConsoleError`` where too many are under way.
    func begin(_ series: CaptureSeries, remark: String?) throws(ConsoleError) -> Standing {
        try desk.withLock { desk throws(ConsoleError) in
            let known = desk.standings.first { $0.series.first.requestID == series.first.requestID }
            if let known { return known }
            guard desk.tasks.count < Self.most else {
                throw ConsoleError(
                    .serviceUnavailable, "Nothing was fired: \(Self.most) series are under way; stop one first.")
            }
            desk.last += 1
            var standing = Standing(number: desk.last, series: series)
            if let remark { standing.remark(remark) }
            desk.standings.append(standing)
            while desk.standings.count > Self.mostRemembered,
                let old = desk.standings.firstIndex(where: { $0.state != .underWay })
            {
                desk.standings.remove(at: old)
            }
            let number = desk.last
            desk.tasks[number] = Task { await self.run(number, series) }
            return standing
        }
    }

    /// Has no more of it fired; what was asked for goes on.
    ///
    /// - Returns: nil where there is no such series.
    func stop(_ number: Int) -> Standing? {
        desk.withLock { desk in
            guard let index = desk.standings.firstIndex(where: { $0.number == number }) else { return nil }
            if let task = desk.tasks.removeValue(forKey: number) {
                desk.standings[index].state = .stopped
                task.cancel()
            }
            return desk.standings[index]
        }
    }

    private func run(_ number: Int, _ series: CaptureSeries) async {
        var series = series
        do {
            let tell = { (count: Int, event: CaptureSeries.Event) in self.change(number) { $0.take(count, event) } }
            try await series.run(client, isWatched: false, tell: tell)
            for unknown in try await series.askAgain(client, tell: tell) {
                change(number) { $0.remark(unknown, "nobody knows what became of it.") }
            }
        } catch is CancellationError {
        } catch {
            change(number) { $0.remark("\(error)") }
        }
        desk.withLock { desk in
            desk.tasks[number] = nil
            guard let index = desk.standings.firstIndex(where: { $0.number == number }) else { return }
            if desk.standings[index].state == .underWay { desk.standings[index].state = .over }
        }
    }

    private func change(_ number: Int, _ body: (inout Standing) -> Void) {
        desk.withLock { desk in
            guard let index = desk.standings.firstIndex(where: { $0.number == number }) else { return }
            body(&desk.standings[index])
        }
    }
}
