import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigClock
import RigProtocol
import RigTransport

/// `volley clocks`.
struct ClocksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clocks",
        abstract: "Shows how well each node knows rig time, now and over the last two minutes.",
        discussion: """
            OFFSET is rig time minus the node's own clock, DRIFT how fast that grows, BOUND how far it can be from \
            the truth, TRIP a probe's shortest, median and longest round trip, PHASE how late the camera's frames \
            begin relative to the rig's grid. The plots show bound and phase, one column for several seconds.
            """)

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(ClocksRequest())
            if json { return try Output.json(reply.nodes.map { ClocksDocument($0) }) }
            var table = Table(["NODE", "STATUS", "OFFSET", "DRIFT", "BOUND", "PROBES", "TRIP", "PHASE"])
            for node in reply.nodes { table.add(Self.row(node)) }
            Output.report(table.text)
            for node in reply.nodes where node.reports.count > 1 { Output.data("\n" + Self.plots(node)) }
        }
    }

    private static func row(_ node: ClocksReply.History) -> [String] {
        guard let report = node.reports.last else {
            return [node.node.rawValue, "unavailable", "-", "-", "-", "0", "-", "-"]
        }
        let (estimate, probes) = (report.estimate, report.probes)
        return [
            node.node.rawValue, estimate.status.rawValue, Sentences.milliseconds(estimate.offsetNanoseconds),
            Sentences.partsPerMillion(estimate.rate), "±" + Sentences.microseconds(estimate.boundNanoseconds),
            "\(probes.count)" + (probes.restarts > 0 ? ", started over \(probes.restarts)x" : ""),
            [probes.shortest, probes.median, probes.longest].map { Sentences.microseconds($0) }
                .joined(separator: " / "),
            report.phaseNanoseconds.map { Sentences.microseconds($0) } ?? "-",
        ]
    }

    private static func plots(_ node: ClocksReply.History) -> String {
        let bounds = Sparkline(node.reports.map { Double($0.estimate.boundNanoseconds) })
        let phases = Sparkline(node.reports.compactMap(\.phaseNanoseconds).map { abs(Double($0)) })
        var lines = ["\(node.node)  bound  \(bounds.text)  up to \(Sentences.microseconds(bounds.highest))"]
        if !phases.text.isEmpty {
            let indent = String(repeating: " ", count: node.node.rawValue.count)
            lines.append("\(indent)  phase  \(phases.text)  up to \(Sentences.microseconds(phases.highest))")
        }
        return lines.joined(separator: "\n")
    }
}
