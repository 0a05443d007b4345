package import CaptureModel
import Foundation
import Programs
package import RigProtocol
package import RigTransport

/// A plan that is fired repeatedly, each time by an appointment of its own.
///
/// One that is refused or not answered is told, and the next one is fired all the same.
package struct CaptureSeries: Sendable {
    /// What is done about a capture whose time comes while the one before still has the nodes.
    package enum Lateness: String, Sendable, CaseIterable {
        /// It is left out.
        case skip
        /// It is fired once they are free, and all after it are that much later.
        case wait
    }

    /// What becomes of it.
    package enum Event: Sendable {
        case fired(FireReply)
        case refused(Refusal)
        /// Its nodes have another capture to end first, and so all that come after it are later.
        case waits(for: UniqueID)
        /// Nobody answered: it may have been accepted all the same.
        case unanswered(OperatorClient.ClientError)
    }

    /// The label by which the captures of a series are found.
    package static let label = "series"

    /// How long before its time each capture is requested at most; the nodes take less to prepare.
    private static let mostAhead = Int64.seconds(1)
    /// How long after its last exposure a capture keeps its nodes, about: they read out, encode, and say so.
    private static let pause = Int64.milliseconds(50)
    /// How long before its time each capture is requested: once the nodes are done with the one before.
    private var ahead: Int64 {
        let free = interval - (occupied ?? 0) - Self.pause
        // Where nodes are never free in time, their refusals say so.
        return min(Self.mostAhead, free > 0 ? min(free, interval / 2) : interval / 2)
    }

    /// The first of them, with the series' label.
    package let first: FireRequest
    /// The label's value.
    package let name: String
    /// In nanoseconds.
    package let interval: Int64
    /// How many are fired.
    package let count: Int
    package let lateness: Lateness
    /// When the first begins, by this machine's clock.
    package let start: UTCTime
    /// The same by a clock that nobody sets: the others follow it, whatever becomes of the one on the wall.
    private let origin: ContinuousClock.Instant
    /// For how long a capture exposes at least, in nanoseconds, as a check has it; nil where nobody asked.
    package var occupied: Int64?
    private var unanswered: [(number: Int, request: FireRequest)] = []

    /// - Parameter now: the time, in UTC.
    /// - Throws: ``Refusal`` if it cannot begin when it is to.
    package init(
        _ first: FireRequest, interval: Int64, count: Int, lateness: Lateness, now: UTCTime
    ) throws(Refusal) {
        start = first.at?.time(now) ?? now + Self.mostAhead
        origin = .now + .nanoseconds(start - now)
        guard start >= now else {
            throw Refusal(.invalid, "Nothing was fired: the time of the first capture has passed.")
        }
        let furthest = FireRequest.furthest
        guard start - now <= furthest else {
            throw Refusal(
                .invalid,
                "Nothing was fired: the first capture is more than \(furthest / .seconds(86_400)) days ahead.")
        }
        name = first.labels[Self.label] ?? "\(start.day)T\(start.timeOfDay)Z"
        var labelled = first
        labelled.labels[Self.label] = name
        (self.first, self.interval, self.count, self.lateness) = (labelled, interval, count, lateness)
    }

    /// How a request with the same ID differs, in one word; nil if it does not.
    package func difference(
        from order: FireRequest, interval: Int64, count: Int, lateness: Lateness
    ) -> String? {
        if (interval, count, lateness) != (self.interval, self.count, self.lateness) { return "interval or number" }
        var tags = first.tags
        // It has a label of its own where none was asked for.
        if order.labels[Self.label] == nil { tags.labels[Self.label] = nil }
        return order.difference(first.plan, tags, at: first.at)
    }

    /// Asks whether its first capture would be fired.
    package var check: CheckRequest {
        var check = CheckRequest(first)
        check.queue = lateness == .wait ? true : nil
        return check
    }

    /// Says so where its nodes cannot keep its interval.
    ///
    /// - Parameter check: what the rig says of its plan.
    /// - Returns: nil where they can, or where nobody knows.
    package func objection(_ check: CheckReply) -> String? {
        guard let occupied = check.leastNanoseconds else { return nil }
        let least = occupied + (check.leadNanoseconds ?? 0)
        guard least > interval else { return nil }
        func seconds(_ nanoseconds: Int64) -> String { String(format: "%.2f s", Double(nanoseconds) / 1e9) }
        let consequence =
            switch lateness {
            case .skip: "a capture whose nodes are still busy is left out"
            case .wait: "the series will be slower than that"
            }
        return
            "The interval is too short: a capture of this plan takes its nodes \(seconds(least)) at least, and the "
            + "interval is \(seconds(interval)); \(consequence)"
    }

    /// Fires all of them; what has been asked for is told also where the task is cancelled meanwhile.
    ///
    /// - Parameters:
    ///   - isWatched: whether somebody is there who mends what is wrong already with the first.
    ///   - tell: told what becomes of each, by its number from 1 on.
    /// - Throws: ``OperatorClient/ClientError`` where nobody answers the first of one that is watched; where the caller
    ///   may not fire, or never could this plan; and `CancellationError`.
    package mutating func run(
        _ client: OperatorClient, isWatched: Bool, tell: (Int, Event) throws -> Void
    ) async throws {
        var time = origin
        for number in 1...count {
            try Task.checkCancellation()
            try await Task.sleep(until: time - .nanoseconds(ahead))
            var request = self.request()
            let wanted = time
            time += .nanoseconds(interval)
            do {
                request.at = try await appointment(wanted, client)
                guard let reply = try await fire(client, request, number, tell), let other = reply.waitsFor else {
                    continue
                }
                if number < count { try tell(number, .waits(for: other)) }
                time = max(time, try await begun(client, reply.uniqueID) + .nanoseconds(interval))
            } catch let error as OperatorClient.ClientError where error.isSilence && !(isWatched && number == 1) {
                try tell(number, .unanswered(error))
                unanswered.append((number, request))
            }
        }
    }

    /// Asks again about those that nobody answered for: if they were not accepted, their time has passed, and they are
    /// refused.
    ///
    /// - Returns: the numbers of those of which nobody knows still.
    package mutating func askAgain(_ client: OperatorClient, tell: (Int, Event) throws -> Void) async throws -> [Int] {
        var unknown: [Int] = []
        for (number, request) in unanswered {
            try Task.checkCancellation()
            var late = request
            // By its id it is found where it was accepted; nobody wants it now where it was not.
            (late.at, late.queue) = (.fromNow(-.seconds(1)), nil)
            do {
                _ = try await fire(client, late, number, tell)
            } catch let error as OperatorClient.ClientError where error.isSilence {
                unknown.append(number)
            }
        }
        unanswered = []
        return unknown
    }

    private func request() -> FireRequest {
        var request = first
        request.requestID = UUID().uuidString
        request.queue = lateness == .wait
        return request
    }

    /// When one of them begins, by the coordinator's clock: a coordinator that reads it late is not to fire it late.
    ///
    /// - Returns: nil for one that waits and is due, which is fired as soon as it can be.
    private func appointment(_ time: ContinuousClock.Instant, _ client: OperatorClient) async throws -> Instant? {
        let clocks = try await Task { try await ClockComparison.ask(client).clocks }.value
        let ahead = Int64(ContinuousClock.now.duration(to: time) / .nanoseconds(1))
        if lateness == .wait && ahead <= 0 { return nil }
        return clocks.map { .at(.now + $0.difference + ahead) } ?? .fromNow(ahead)
    }

    /// - Returns: nil if it is refused, which is told.
    private func fire(
        _ client: OperatorClient, _ request: FireRequest, _ number: Int, _ tell: (Int, Event) throws -> Void
    ) async throws -> FireReply? {
        do {
            // Whoever stops the series is told of what is under way, and leaves others' requests alone.
            let reply = try await Task { try await client.ask(request) }.value
            try tell(number, .fired(reply))
            return reply
        } catch OperatorClient.ClientError.refused(let refusal) {
            try tell(number, .refused(refusal))
            if refusal.code == .notAllowed { throw OperatorClient.ClientError.refused(refusal) }
            return nil
        }
    }

    /// Waits until a capture that was in the queue has its nodes.
    ///
    /// - Returns: about when that was.
    private func begun(_ client: OperatorClient, _ id: UniqueID) async throws -> ContinuousClock.Instant {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            // Where nobody answers, the next request will say so.
            let shown = Task { try await client.ask(ShowRequest(uniqueID: id)).capture }
            guard let capture = try? await shown.value, capture.summary.state == .preparing
            else { return .now }
        }
    }
}

extension OperatorClient.ClientError {
    /// Whether nobody answered who would know what became of a request.
    fileprivate var isSilence: Bool {
        switch self {
        case .unreachable, .keyRefused: true
        case .refused, .wire: false
        }
    }
}
