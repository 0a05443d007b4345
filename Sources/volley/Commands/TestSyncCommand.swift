import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import RigClock
import RigProtocol
import RigTransport

/// `volley test-sync`: what timestamps cannot show.
struct TestSyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-sync",
        abstract: "Finds by one flashing light what each camera's timestamps are off by.",
        discussion: """
            Let all cameras look at one lamp that goes on and off slowly, in no rhythm of theirs: a good half second each \
            for USB cameras at 30 frames a second. \
            Each takes a series of frames, which stay in the library; a frame that was exposed while the light changed \
            tells when. What is found is relative to the other cameras. With --keep the nodes correct for it from \
            then on; a second run tells what is left.
            """)

    @OptionGroup var rig: RigOptions
    @Option(help: "The exposure of each frame, nearly as long as the frame: it catches more changes.")
    var exposure = "1/40"
    @Option(help: "How many frames each camera takes: 8 to 64.") var frames = 60
    @Option(help: "How many such series: 1 to 8. More catch more changes.") var rounds = 1
    @Flag(help: "Tell the nodes, which keep it in their cameras' profiles.") var keep = false
    @Flag(help: "One JSON document.") var json = false

    private struct Row: Encodable {
        let node: String
        /// To be added to its timestamps, in nanoseconds.
        let offsetNanoseconds: Int64
        let scatterNanoseconds: Int64
        let edgeCount: Int
        /// How well its starts are known then, against the others; null where too few changes were caught to say.
        let uncertaintyNanoseconds: Int64?
    }

    func validate() throws { _ = try plan() }

    func run() async throws {
        try await Output.reporting {
            let plan = try plan()
            let client = try rig.connect()
            defer { client.close() }
            let nodes = try await client.ask(NodesRequest()).nodes
            var series: [CaptureDetail] = []
            for _ in 0..<rounds { series.append(try await take(plan, client)) }
            let seen = LampSeries(series, nodes)
            let result = FlashAnalysis.result(of: seen.samples)
            let found = result.offsets
            guard !found.isEmpty else {
                throw failure(
                    "no two cameras saw a light go on and off in capture \(seen.capture); is there one in view of all?")
            }
            if let period = result.neededPeriod {
                throw failure(
                    "the light goes on more often than each \(Sentences.milliseconds(period)), within which these "
                        + "cameras may take one time for the next; let it stay on and off for longer.")
            }
            if keep {
                if let objection = seen.objection(to: result) { throw failure(objection) }
                let request = MoveStartsRequest(
                    nanoseconds: found.mapValues(\.nanoseconds), lamps: seen.lamps(result))
                _ = try await client.ask(request)
            }
            try tell(found, missing: seen.cameras.filter { found[$0] == nil })
        }
    }

    private func failure(_ words: String) -> ExitCode {
        Output.words("volley: \(words)")
        return ExitCode(ExitStatus.failed)
    }

    private func take(_ plan: Plan, _ client: OperatorClient) async throws -> CaptureDetail {
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: "test-sync", labels: [:])
        let id = try await client.ask(request).uniqueID
        return try await CaptureWaiter(client: client).follow(id)
    }

    private func plan() throws -> Plan {
        guard (8...64).contains(frames) else { throw ValidationError("--frames is 8 to 64.") }
        guard (1...8).contains(rounds) else { throw ValidationError("--rounds is 1 to 8.") }
        guard let duration = ExposureDuration(parsing: exposure) else {
            throw ValidationError("'\(exposure)' is no exposure time; write 1/40 or 20ms.")
        }
        let step = BracketedStillImageSettings.manualExposure(exposureDuration: .value(duration), iso: .current)
        var plan = Plan(
            name: "test-sync", bracket: try Bracket(Array(repeating: step, count: frames)), formats: [.jpeg],
            policy: .bestEffort)
        plan.verify = false
        return plan
    }

    private func tell(_ found: [String: FlashAnalysis.Offset], missing: [String]) throws {
        let names = found.keys.sorted()
        if json {
            return try Output.json(
                names.compactMap { name in
                    found[name].map {
                        Row(
                            node: name, offsetNanoseconds: $0.nanoseconds, scatterNanoseconds: $0.scatter,
                            edgeCount: $0.edgeCount, uncertaintyNanoseconds: $0.uncertainty)
                    }
                })
        }
        var table = Table(["NODE", "TIMESTAMPS OFF BY", "SCATTER", "EDGES", "THEN KNOWN TO"])
        for name in names {
            guard let offset = found[name] else { continue }
            table.add([
                name, Sentences.milliseconds(-offset.nanoseconds), "±" + Sentences.milliseconds(offset.scatter),
                "\(offset.edgeCount)", offset.uncertainty.map { "±" + Sentences.milliseconds($0) } ?? "-",
            ])
        }
        Output.data(table.text)
        for name in missing { Output.words("\(name) did not see the light change.") }
        for name in names where found[name]?.uncertainty == nil {
            Output.words(
                "\(name) caught too few changes to say how well its starts are known then; try more --rounds.")
        }
        Output.words(keep ? "Kept by the nodes." : "Nothing was changed; --keep lets the nodes correct for it.")
    }
}
