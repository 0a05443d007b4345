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

    /// An offset of fewer changes is luck.
    private static let fewestEdges = 4

    func validate() throws { _ = try plan() }

    func run() async throws {
        try await Output.reporting {
            let plan = try plan()
            let client = try rig.connect()
            defer { client.close() }
            let nodes = try await client.ask(.nodes, for: NodesReply.self).nodes
            var series: [[String: [FlashAnalysis.Sample]]] = []
            var detail = try await take(plan, client)
            series.append(Self.samples(detail, nodes))
            while series.count < rounds {
                detail = try await take(plan, client)
                series.append(Self.samples(detail, nodes))
            }
            let result = FlashAnalysis.result(of: series)
            let (found, id) = (result.offsets, detail.summary.uniqueID)
            guard !found.isEmpty else {
                Output.words(
                    "volley: no two cameras saw a light go on and off in capture \(id); is there one in view of all?")
                throw ExitCode(ExitStatus.failed)
            }
            if let problem = problem(result) {
                Output.words("volley: \(problem)")
                throw ExitCode(ExitStatus.failed)
            }
            if keep {
                let request = MoveStartsRequest(
                    nanoseconds: found.mapValues(\.nanoseconds), lamps: Self.lamps(result, series[0], detail))
                _ = try await client.ask(.moveStarts(request), for: NodesReply.self)
            }
            try tell(found, missing: detail.nodes.map(\.node).filter { found[$0] == nil })
        }
    }

    private func take(_ plan: Plan, _ client: OperatorClient) async throws -> CaptureDetail {
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: "test-sync", labels: [:])
        let id = try await client.ask(.fire(request), for: FireReply.self).uniqueID
        return try await CaptureWaiter(client: client).follow(id)
    }

    /// Why what was found is not to be believed, or not to be kept; nil where it is.
    private func problem(_ result: FlashAnalysis.Result) -> String? {
        if let period = result.isTooFastFor {
            return
                "the light goes on more often than each \(Sentences.milliseconds(period)), within which these cameras "
                + "may take one time for the next; let it stay on and off for longer."
        }
        let few = result.offsets.filter { $0.value.edgeCount < Self.fewestEdges }.keys.min()
        guard keep, let few else { return nil }
        return "\(few) caught fewer than \(Self.fewestEdges) changes of the light, so nothing was kept; try a longer "
            + "--exposure, nearly a frame, or more --rounds."
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

    private static func samples(
        _ detail: CaptureDetail, _ nodes: [NodeSummary]
    ) -> [String: [FlashAnalysis.Sample]] {
        let cameras = Dictionary(nodes.map { ($0.name, $0.capabilities) }) { first, _ in first }
        var samples: [String: [FlashAnalysis.Sample]] = [:]
        for photo in detail.photos {
            guard let start = photo.record.exposureStartRigTime, let brightness = photo.record.brightness,
                let uncertainty = photo.record.exposureStartUncertaintyNanoseconds,
                let exposure = photo.record.applied?.duration ?? photo.record.requested.duration
            else { continue }
            // A readout that is not known takes a frame at most.
            let camera = cameras[photo.node] ?? nil
            samples[photo.node, default: []].append(
                FlashAnalysis.Sample(
                    start: start, exposure: exposure.nanoseconds, brightness: brightness, uncertainty: uncertainty,
                    readout: camera?.readoutNanoseconds ?? camera?.frameDurationNanoseconds ?? 0))
        }
        return samples
    }

    /// How well starts are known with what was found, as far as the nodes' clocks allow.
    private static func lamps(
        _ result: FlashAnalysis.Result, _ samples: [String: [FlashAnalysis.Sample]], _ detail: CaptureDetail
    ) -> [String: LampMeasurement] {
        let bounds = detail.nodes.filter { result.offsets[$0.node] != nil }.map(\.clockBound)
        return result.offsets.reduce(into: [:]) { lamps, node in
            let exposures = samples[node.key, default: []].map(\.exposure).sorted()
            guard let uncertainty = node.value.uncertainty, !exposures.isEmpty else { return }
            // A clock of which nobody knows how good it is shows nothing.
            let bound = bounds.map { $0 ?? .max }.max() ?? .max
            let lamp = LampMeasurement(
                capture: detail.summary.uniqueID, uncertaintyNanoseconds: uncertainty + min(bound, .seconds(60)),
                referenceUncertaintyNanoseconds: result.referenceUncertainty,
                exposureDuration: ExposureDuration(nanoseconds: exposures[exposures.count / 2]))
            if lamp.isPlausible { lamps[node.key] = lamp }
        }
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
