import ArgumentParser
import CaptureModel
import Dispatch
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

extension CaptureSeries.Lateness: ExpressibleByArgument {}

/// A series that this command fires, and waits for.
struct Series {
    let client: OperatorClient
    let json: Bool
    private let series: CaptureSeries
    private var tally: [String: Int] = [:]
    private var accepted: [UniqueID] = []
    private var said: Set<String> = []

    init(_ series: CaptureSeries, _ client: OperatorClient, json: Bool) {
        (self.series, self.client, self.json) = (series, client, json)
    }

    /// Fires all of them, and waits for them to end.
    mutating func run() async throws {
        let name = series.name
        let interrupt = CaptureWaiter.onInterrupt {
            "No more are fired; the captures whose ids are printed above go on. `volley captures --label \(CaptureSeries.label)=\(name)` shows how."
        }
        defer { interrupt.cancel() }
        var firing = series
        if let check = try? await client.ask(series.check) {
            firing.occupied = check.leastNanoseconds
            if let objection = series.objection(check) {
                Output.words(
                    objection + (series.lateness == .skip ? " (--late wait slows the series down instead)." : "."))
            }
            say(check.remarks)
        }
        try await firing.run(client, isWatched: true) { try tell($0, $1) }
        try await finish()
        for number in try await firing.askAgain(client, tell: { try tell($0, $1) }) {
            say(number, "nobody answers; see `volley captures` later for its outcome")
            tally["unknown", default: 0] += 1
        }
        try await finish()
        try conclude()
    }

    private mutating func tell(_ number: Int, _ event: CaptureSeries.Event) throws {
        switch event {
        case .fired(let reply):
            try Output.tell(reply.uniqueID, json ? reply : nil, isLine: true)
            say(reply.remarks)
            accepted.append(reply.uniqueID)
        case .refused(let refusal):
            say(number, refusal.message.printableLine)
            for detail in refusal.details { Output.words("  " + detail.printableLine) }
            tally["refused", default: 0] += 1
        case .waits(let other): say(number, "waits for capture \(other); those after it are later, too.")
        case .unanswered(.unreachable(let place)): say(number, "no coordinator answers at \(place)")
        case .unanswered(let error): say(number, "\(error)")
        }
    }

    /// Says what somebody may not expect, each line once.
    private mutating func say(_ remarks: [String]?) {
        for line in remarks ?? [] where said.insert(line).inserted { Output.words(line.printableLine) }
    }

    private func say(_ number: Int, _ words: String) {
        Output.words("volley: number \(number) of \(series.count): \(words)")
    }

    private mutating func finish() async throws {
        for id in accepted {
            let summary = try await CaptureWaiter(client: client).poll(id).summary
            tally[summary.state.rawValue, default: 0] += 1
            if summary.state != .complete { Output.words("Capture \(id) is \(Sentences.outcome(summary))") }
        }
        accepted = []
    }

    /// Sums up, and ends the command accordingly.
    private func conclude() throws {
        let (complete, partial) = (CaptureState.complete.rawValue, CaptureState.partial.rawValue)
        let kinds = [complete] + tally.keys.filter { $0 != complete }.sorted()
        let counts = kinds.map { "\(tally[$0] ?? 0) \($0)" }.joined(separator: ", ")
        let isAny = tally["refused"] != series.count
        let finds = isAny ? "; --label \(CaptureSeries.label)=\(series.name) finds them" : ""
        Output.words("\(Sentences.count(series.count, "capture")): \(counts)\(finds).")
        if tally[complete] == series.count { return }
        throw ExitCode(
            tally.keys.contains { [complete, partial].contains($0) } ? ExitStatus.partial : ExitStatus.failed)
    }
}
