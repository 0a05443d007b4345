import ArgumentParser
import CaptureModel
import Foundation
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
    @Option(help: "The name of the shoot.") var session: String?
    @Option(name: .customLong("label"), help: "KEY=VALUE; may be repeated.") var labels: [String] = []
    @Option(
        parsing: .unconditional,
        help: "When to fire: +5s or +10m from now, 18:00, or 2026-11-21T18:00:00Z. At most a day ahead.")
    var at: String?
    @Option(
        help:
            "Fire repeatedly, at this interval: 2s or 5m. Exit status 0 if all are complete, 1 if none is even partial, else 2."
    )
    var every: String?
    @Option(help: "How many times to fire; with --every.") var count: Int?
    @Flag(help: "Wait for the end; the exit status is the capture's.") var wait = false
    @Flag(help: "Print one JSON document; with --every, one per line.") var json = false

    func validate() throws {
        guard (every == nil) == (count == nil) else { throw ValidationError("--every and --count go together.") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if every != nil, wait { throw ValidationError("--every waits anyway; leave out --wait.") }
        _ = try (at.map(UTCTime.coming), every.map(Interval.parse))
    }

    func run() async throws {
        try await Output.reporting {
            let labels = try parseLabels(labels)
            let start = try at.map(UTCTime.coming)
            let interval = try every.map(Interval.parse)
            let client = try rig.connect()
            defer { client.close() }
            let plan = try await source.read(client)
            let request = FireRequest(
                requestID: UUID().uuidString, plan: plan, session: session, labels: labels, at: start)
            if let interval, let count {
                return try await Series(client: client, interval: interval, count: count, json: json).run(request)
            }
            guard wait else {
                let reply = try await client.ask(request)
                if json { try Output.json(reply) } else { Output.data("\(reply.uniqueID)") }
                return
            }
            let id = try await client.ask(request).uniqueID
            // The id first: whatever happens to this command, the capture goes on under it.
            if json { Output.words("Capture \(id)") } else { Output.data("\(id)") }
            let detail = try await CaptureWaiter(client: client).follow(id)
            if json { try Output.json(detail) } else { Output.words(Sentences.outcome(detail.summary)) }
            try detail.summary.state.exit()
        }
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
