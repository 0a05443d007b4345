import ArgumentParser
import CaptureModel
import Foundation
import Programs
import RigProtocol
import RigTransport

/// A plan that is fired repeatedly, each time by an appointment of its own.
struct Series {
    /// What is done about a capture whose time comes while the one before still has the nodes.
    enum Lateness: String, ExpressibleByArgument, CaseIterable {
        /// It is left out.
        case skip
        /// It is fired once they are free, and all after it are that much later.
        case wait
    }

    /// The label by which the captures of a series are found.
    static let label = "series"

    /// How long before its time each capture is requested: by then the nodes are done with the one
    /// before, and they still have time to prepare.
    private static let ahead = Int64.seconds(1)

    let client: OperatorClient
    /// In nanoseconds.
    let interval: Int64
    let count: Int
    let lateness: Lateness
    let json: Bool
    private var tally: [String: Int] = [:]

    init(client: OperatorClient, interval: Int64, count: Int, lateness: Lateness, json: Bool) {
        (self.client, self.interval, self.count) = (client, interval, count)
        (self.lateness, self.json) = (lateness, json)
    }

    /// Fires all of them, and waits for them to end. One that is refused or not answered is reported, and the next one
    /// is fired all the same.
    mutating func run(_ first: FireRequest) async throws {
        let start = first.at ?? UTCTime.now + Self.ahead
        if let problem = Self.problem(start) { throw OperatorClient.ClientError.refused(Refusal(.invalid, problem)) }
        var first = first
        let name = first.labels[Self.label] ?? "\(start.day)T\(start.timeOfDay)Z"
        first.labels[Self.label] = name
        let interrupt = CaptureWaiter.onInterrupt {
            "No more are fired; the captures whose ids are printed above go on. `volley captures --label \(Self.label)=\(name)` shows how."
        }
        defer { interrupt.cancel() }
        await warn(of: first.plan)
        var accepted: [UniqueID] = []
        var unanswered: [(number: Int, request: FireRequest)] = []
        var time = start
        for number in 1...count {
            let wait = time - UTCTime.now - min(Self.ahead, interval / 2)
            if wait > 0 { try await Task.sleep(for: .nanoseconds(wait)) }
            let request = self.request(like: first, at: time)
            time = time + interval
            do {
                guard let reply = try await fire(request, number) else { continue }
                accepted.append(reply.uniqueID)
                guard let other = reply.waitsFor else { continue }
                if number < count { tell(number, "waits for capture \(other); those after it are later, too.") }
                time = max(time, try await begun(reply.uniqueID) + interval)
            } catch OperatorClient.ClientError.unreachable(let place) where number > 1 {
                tell(number, "no coordinator answers at \(place)")
                unanswered.append((number, request))
            }
        }
        try await finish(accepted)
        try await ask(again: unanswered)
        try conclude(name)
    }

    private static func problem(_ start: UTCTime) -> String? {
        let now = UTCTime.now
        guard start >= now else { return "Nothing was fired: the time of the first capture has passed." }
        let furthest = FireRequest.furthest
        return start - now <= furthest
            ? nil : "Nothing was fired: the first capture is more than \(furthest / .seconds(86_400)) days ahead."
    }

    /// Says so where the interval cannot be kept.
    private func warn(of plan: Plan) async {
        guard let reply = try? await client.ask(CheckRequest(plan: plan)), let least = reply.leastNanoseconds,
            least > interval
        else { return }
        let consequence =
            switch lateness {
            case .skip: "a capture whose nodes are still busy is left out (--late wait slows the series down instead)."
            case .wait: "the series will be slower than that."
            }
        Output.words(
            "The interval is too short: a capture of this plan takes its nodes \(Self.seconds(least)) s at least, and "
                + "the interval is \(Self.seconds(interval)) s; \(consequence)")
    }

    private static func seconds(_ nanoseconds: Int64) -> String { String(format: "%.2f", Double(nanoseconds) / 1e9) }

    private func request(like first: FireRequest, at time: UTCTime) -> FireRequest {
        var request = first
        request.requestID = UUID().uuidString
        request.queue = lateness == .wait
        // One that waits is fired as soon as it can be.
        request.at = lateness == .wait && time <= UTCTime.now ? nil : time
        return request
    }

    /// Waits until a capture that was in the queue has its nodes.
    ///
    /// - Returns: about when that was.
    private func begun(_ id: UniqueID) async throws -> UTCTime {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            // Where nobody answers, the next request will say so.
            guard let capture = try? await client.ask(ShowRequest(uniqueID: id)).capture,
                capture.summary.state == .preparing
            else { return .now }
        }
    }

    /// - Returns: nil if it is refused, which is reported.
    private mutating func fire(_ request: FireRequest, _ number: Int) async throws -> FireReply? {
        do {
            let reply = try await client.ask(request)
            if json { try Output.json(reply, isLine: true) } else { Output.data("\(reply.uniqueID)") }
            return reply
        } catch OperatorClient.ClientError.refused(let refusal) {
            tell(number, refusal.message.printableLine)
            for detail in refusal.details { Output.words("  " + detail.printableLine) }
            tally["refused", default: 0] += 1
            return nil
        }
    }

    /// Those that nobody answered for may have been accepted all the same; if not, their time has passed.
    private mutating func ask(again unanswered: [(number: Int, request: FireRequest)]) async throws {
        for (number, request) in unanswered {
            do {
                if let reply = try await fire(request, number) { try await finish([reply.uniqueID]) }
            } catch OperatorClient.ClientError.unreachable {
                tell(number, "nobody answers; see `volley captures` later for its outcome")
                tally["unknown", default: 0] += 1
            }
        }
    }

    private mutating func finish(_ captures: [UniqueID]) async throws {
        for id in captures {
            let summary = try await CaptureWaiter(client: client).poll(id).summary
            tally[summary.state.rawValue, default: 0] += 1
            if summary.state != .complete { Output.words("Capture \(id) is \(Sentences.outcome(summary))") }
        }
    }

    /// Sums up, and ends the command accordingly.
    private func conclude(_ name: String) throws {
        let (complete, partial) = (CaptureState.complete.rawValue, CaptureState.partial.rawValue)
        let kinds = [complete] + tally.keys.filter { $0 != complete }.sorted()
        let counts = kinds.map { "\(tally[$0] ?? 0) \($0)" }.joined(separator: ", ")
        Output.words("\(Sentences.count(count, "capture")): \(counts); --label \(Self.label)=\(name) finds them.")
        if tally[complete] == count { return }
        throw ExitCode(
            tally.keys.contains { [complete, partial].contains($0) } ? ExitStatus.partial : ExitStatus.failed)
    }

    private func tell(_ number: Int, _ words: String) {
        Output.words("volley: number \(number) of \(count): \(words)")
    }
}
