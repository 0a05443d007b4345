import ArgumentParser
import CaptureModel
import Documents
import Foundation
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// `volley fire`.
struct FireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire", abstract: "Fires a plan and prints the capture's uniqueID.",
        discussion: "The plan is a file, an earlier capture's (--like last), or said here: --auto -2,0,2 or --single.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var source: PlanOptions
    @Option(help: "The name of the shoot.", completion: Completions.sessions) var session: String?
    @Option(help: "What is before the cameras; the capture is its next take in the session.") var subject: String?
    @Option(name: .customLong("label"), help: "KEY=VALUE; may be repeated.") var labels: [String] = []
    @Option(
        parsing: .unconditional,
        help: """
            When to fire: +5s or +10m from now, 18:00, or 2026-11-21T18:00:00Z. At most 30 days ahead. The coordinator \
            fires it, unless it is restarted before; then the capture fails.
            """)
    var at: String?
    @Option(
        help: """
            Fire repeatedly, at this interval: 2s or 5m. This command fires each, and has to go on running. Exit status 0 \
            if all are complete, 1 if none is even partial, else 2.
            """)
    var every: String?
    @Option(help: "How many times to fire; with --every.") var count: Int?
    @Option(
        help:
            "With --every, what becomes of a capture whose nodes are still busy: skip (the default), or wait, which makes the series slower."
    )
    var late: CaptureSeries.Lateness?
    @Flag(help: "Fire what `volley arm` has armed; where there are several, name the capture in place of a plan.")
    var armed = false
    @Flag(help: "Where other captures have its nodes, wait for them instead of being refused.") var queue = false
    @Flag(help: "Wait for the end; the exit status is the capture's.") var wait = false
    @Flag(help: "Print one JSON document; with --every, one per line.") var json = false

    func validate() throws {
        if !armed { try source.require() }
        if armed { try validateArmed() }
        guard (every == nil) == (count == nil) else { throw ValidationError("--every and --count go together.") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if every == nil, late != nil { throw ValidationError("--late goes with --every.") }
        if every != nil, queue { throw ValidationError("With --every, --late wait does what --queue does.") }
        if every != nil, wait { throw ValidationError("--every waits anyway; leave out --wait.") }
        _ = try (at.map { try Instant.coming($0) }, every.map(Interval.parse))
    }

    private func validateArmed() throws {
        let others = source.sources.count - (source.plan == nil ? 0 : 1) + labels.count
        guard others == 0, !source.changesPlan, !queue, [at, every, session, subject].allSatisfy({ $0 == nil }) else {
            throw ValidationError(
                "What is armed has its plan, session and labels; --armed goes with --wait and --json.")
        }
        if let text = source.plan, CaptureReference(argument: text) == nil {
            throw ValidationError("With --armed, '\(text)' would have to be a capture's uniqueID.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            let labels = try parseLabels(labels)
            let interval = try every.map(Interval.parse)
            let client = try rig.connect()
            defer { client.close() }
            if armed {
                let capture = try await source.plan.flatMap(CaptureReference.init(argument:))?
                    .resolve(.coordinator(client))
                return try await tell(try await client.ask(ReleaseRequest(uniqueID: capture)), client)
            }
            let plan = try await source.read(client)
            let (start, difference) = try await start(client)
            var request = FireRequest(
                requestID: UUID().uuidString, plan: plan, session: session, labels: labels, at: start,
                queue: queue ? true : nil)
            request.subject = subject
            if let interval, let count {
                let planned: CaptureSeries
                do throws(Refusal) {
                    planned = try CaptureSeries(
                        request, interval: interval, count: count, lateness: late ?? .skip, now: .now + difference)
                } catch {
                    throw OperatorClient.ClientError.refused(error)
                }
                var series = Series(planned, client, json: json)
                return try await series.run()
            }
            let reply = try await client.ask(request)
            if case .fromNow(let span)? = start, span > 0, reply.waitsFor == nil {
                Output.words("It fires in \(Sentences.span(span)).")
            }
            try await tell(reply, client)
        }
    }

    /// When it is to be, and by how much the coordinator's clock is ahead, where the two differ.
    ///
    /// What a time of day means is said at once: it may be that of another day. What is a span is clear.
    private func start(_ client: OperatorClient) async throws -> (start: Instant?, difference: Int64) {
        guard let at else { return (nil, 0) }
        let start = try Instant.coming(at)
        guard case .at(let time) = start else { return (start, 0) }
        if let words = Self.words(time, .now) { Output.words("That is \(words).") }
        guard let clocks = try await ClockComparison.ask(client).clocks, let remark = clocks.remark else {
            return (start, 0)
        }
        // The day that is meant may be another one.
        let now = UTCTime.now + clocks.difference
        let meant = try Instant.coming(at, now: now)
        Output.words(
            "\(remark) By its clock that \(Self.words(meant.time(now), now).map { "is \($0)" } ?? "has passed").")
        return (meant, clocks.difference)
    }

    /// Nil for a time that has passed.
    private static func words(_ time: UTCTime, _ now: UTCTime) -> String? {
        guard time > now else { return nil }
        return "\(Sentences.zonedTime(time)), in \(Sentences.span(time - now))"
    }

    /// Prints which capture it is, and where that is wanted, what becomes of it.
    private func tell(_ reply: FireReply, _ client: OperatorClient) async throws {
        let id = reply.uniqueID
        // The id first: whatever happens to this command, the capture goes on under it.
        if !json { try Output.tell(id) } else if wait { Output.words("Capture \(id)") }
        if let other = reply.waitsFor { Output.words("It waits for capture \(other), which comes first.") }
        for line in reply.remarks ?? [] { Output.words(line.printableLine) }
        guard wait else {
            if json { try Output.tell(id, reply) }
            return
        }
        let detail = try await CaptureWaiter(client: client).follow(id)
        if json { try Output.json(CaptureDocument(detail)) } else { Output.words(Sentences.outcome(detail.summary)) }
        try detail.summary.state.exit()
    }
}

/// Parses labels, each `KEY=VALUE`.
func parseLabels(_ texts: [String]) throws -> [String: String] {
    var labels: [String: String] = [:]
    for text in texts {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw ValidationError("A label must be KEY=VALUE, not '\(text)'.")
        }
        labels[String(text[..<sign])] = String(text[text.index(after: sign)...])
    }
    if let problem = Annotation.problem(of: labels) { throw ValidationError(problem) }
    return labels
}

extension CaptureState {
    /// Ends the command with the capture's exit status.
    func exit() throws {
        switch self {
        case .complete: return
        case .partial: throw ExitCode(ExitStatus.partial)
        case .preparing, .firing, .collecting, .failed, .cancelled: throw ExitCode(ExitStatus.failed)
        }
    }
}
