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
        case unanswered(place: String)
    }

    /// The label by which the captures of a series are found.
    package static let label = "series"

    /// How long before its time each capture is requested: by then the nodes are done with the one
    /// before, and they still have time to prepare.
    private static let ahead = Int64.seconds(1)

    /// The first of them, with the series' label.
    package let first: FireRequest
    /// The label's value.
    package let name: String
    /// In nanoseconds.
    package let interval: Int64
    /// How many are fired.
    package let count: Int
    package let lateness: Lateness
    private let start: UTCTime
    private var unanswered: [(number: Int, request: FireRequest)] = []

    /// - Parameter now: the time, in UTC.
    /// - Throws: ``Refusal`` if it cannot begin when it is to.
    package init(
        _ first: FireRequest, interval: Int64, count: Int, lateness: Lateness, now: UTCTime
    ) throws(Refusal) {
        start = first.at ?? now + Self.ahead
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

    /// The least interval that its nodes can keep, in nanoseconds; nil where they can keep its own, or nobody knows.
    package func leastInterval(_ client: OperatorClient) async -> Int64? {
        guard let least = try? await client.ask(CheckRequest(plan: first.plan)).leastNanoseconds, least > interval
        else { return nil }
        return least
    }

    /// Fires all of them.
    ///
    /// - Parameter tell: told what becomes of each, by its number from 1 on.
    /// - Throws: ``OperatorClient/ClientError`` where already the first is not answered, or the key is refused; and
    ///   `CancellationError`.
    package mutating func run(_ client: OperatorClient, tell: (Int, Event) throws -> Void) async throws {
        var time = start
        for number in 1...count {
            let wait = time - .now - min(Self.ahead, interval / 2)
            if wait > 0 { try await Task.sleep(for: .nanoseconds(wait)) }
            let request = self.request(at: time)
            time = time + interval
            do {
                guard let reply = try await fire(client, request, number, tell), let other = reply.waitsFor else {
                    continue
                }
                if number < count { try tell(number, .waits(for: other)) }
                time = max(time, try await begun(client, reply.uniqueID) + interval)
            } catch OperatorClient.ClientError.unreachable(let place) where number > 1 {
                try tell(number, .unanswered(place: place))
                unanswered.append((number, request))
            }
        }
    }

    /// Asks again about those that nobody answered for: if they were not accepted, their time has passed.
    ///
    /// - Returns: the numbers of those of which nobody knows still.
    package mutating func askAgain(_ client: OperatorClient, tell: (Int, Event) throws -> Void) async throws -> [Int] {
        var unknown: [Int] = []
        for (number, request) in unanswered {
            do {
                _ = try await fire(client, request, number, tell)
            } catch OperatorClient.ClientError.unreachable {
                unknown.append(number)
            }
        }
        unanswered = []
        return unknown
    }

    private func request(at time: UTCTime) -> FireRequest {
        var request = first
        request.requestID = UUID().uuidString
        request.queue = lateness == .wait
        // One that waits is fired as soon as it can be.
        request.at = lateness == .wait && time <= .now ? nil : time
        return request
    }

    /// - Returns: nil if it is refused, which is told.
    private func fire(
        _ client: OperatorClient, _ request: FireRequest, _ number: Int, _ tell: (Int, Event) throws -> Void
    ) async throws -> FireReply? {
        do {
            let reply = try await client.ask(request)
            try tell(number, .fired(reply))
            return reply
        } catch OperatorClient.ClientError.refused(let refusal) {
            try tell(number, .refused(refusal))
            return nil
        }
    }

    /// Waits until a capture that was in the queue has its nodes.
    ///
    /// - Returns: about when that was.
    private func begun(_ client: OperatorClient, _ id: UniqueID) async throws -> UTCTime {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            // Where nobody answers, the next request will say so.
            guard let capture = try? await client.ask(ShowRequest(uniqueID: id)).capture,
                capture.summary.state == .preparing
            else { return .now }
        }
    }
}
