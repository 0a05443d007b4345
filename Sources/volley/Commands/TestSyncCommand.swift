import ArgumentParser
import CaptureModel
import Foundation
import OperatorAccess
import Programs
import RigClock
import RigProtocol
import RigTransport

/// `volley test-sync`: what timestamps cannot show.
struct TestSyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-sync",
        abstract: "Finds out, with one flashing light, how far each camera's timestamps are off.",
        discussion: """
            Point all cameras at one lamp that goes on and off slowly and out of step with them: a good half second \
            each for USB cameras at 30 frames a second. Each camera takes a series of frames, which stay in the \
            library; a frame that was being exposed when the light changed shows when that was. The result is \
            relative to the other cameras. With --keep the nodes correct for it from then on; a second run shows what \
            is left.
            """)

    @OptionGroup var rig: RigOptions
    @Option(help: "The exposure of each frame; close to the frame duration it catches the most changes.")
    var exposure = "1/40"
    @Option(help: "How many frames each camera takes: 8 to 64.") var frames = 60
    @Option(help: "How many such series to take: 1 to 8. More catch more changes.") var rounds = 1
    @Flag(help: "Have the nodes keep the result in their cameras' profiles.") var keep = false
    @Flag(help: "Print one JSON document.") var json = false

    private struct Row: Encodable {
        let node: NodeName
        /// To be added to its timestamps, in nanoseconds.
        let offsetNanoseconds: Int64
        let scatterNanoseconds: Int64
        let edgeCount: Int
        /// How well its starts are then known relative to the others; null if too few changes were caught to say.
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
                    "no two cameras saw a light go on and off in capture \(seen.capture); is the lamp in view of all?")
            }
            if let period = result.neededPeriod {
                throw failure(
                    "the light goes on more than once in \(Sentences.milliseconds(period)), so that these cameras may "
                        + "mistake one flash for the next; let it stay on and off for longer.")
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
        guard (8...64).contains(frames) else { throw ValidationError("--frames must be 8 to 64.") }
        guard (1...8).contains(rounds) else { throw ValidationError("--rounds must be 1 to 8.") }
        guard let duration = ExposureDuration(parsing: exposure) else {
            throw ValidationError("'\(exposure)' is not an exposure time; write 1/40 or 20ms.")
        }
        let step = BracketedStillImageSettings.manualExposure(exposureDuration: .value(duration), iso: .current)
        var plan = Plan(
            name: "test-sync", bracket: try Bracket(Array(repeating: step, count: frames)), formats: [.jpeg],
            policy: .bestEffort)
        plan.verify = false
        // Whatever the rig's groups say: all are to see the lamp at once.
        plan.offsets = [FiringOffset(nodes: "*", nanoseconds: 0)]
        return plan
    }

    private func tell(_ found: [NodeName: FlashAnalysis.Offset], missing: [NodeName]) throws {
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
                name.rawValue, Sentences.milliseconds(-offset.nanoseconds),
                "±" + Sentences.milliseconds(offset.scatter),
                "\(offset.edgeCount)", offset.uncertainty.map { "±" + Sentences.milliseconds($0) } ?? "-",
            ])
        }
        Output.report(table.text)
        for name in missing { Output.words("\(name) did not see the light change.") }
        for name in names where found[name]?.uncertainty == nil {
            Output.words(
                "\(name) caught too few changes to say how well its starts are now known; try more --rounds.")
        }
        Output.words(keep ? "The nodes keep this." : "Nothing was changed; with --keep the nodes correct for it.")
    }
}
