import CaptureModel
package import RigProtocol

/// What of a rig that answers needs attention.
extension Concern {
    /// Below these a library and a spool need attention, in bytes, and above that a board, in degrees Celsius: as the
    /// alarms in `deploy/prometheus` have it.
    private static let (leastLibrary, leastSpool, hottest) = (20e9, 1e9, 80.0)

    /// - Parameters:
    ///   - nodes: those that are no longer used are passed over.
    ///   - families: the rig's measurements.
    package static func all(_ status: StatusReply, _ nodes: [NodeSummary], _ families: [MetricFamily]) -> [Concern] {
        let nodes = nodes.filter { $0.state != .retired }
        func samples(_ name: String) -> [MetricFamily.Sample] {
            families.first { $0.name == "volley_\(name)" }?.samples ?? []
        }
        var concerns = nodes.filter { ![.ready, .busy].contains($0.state) }.map { node in
            Concern(.nodeNotReady, node.name, words: node.problem ?? "Node \(node.name) is \(node.state.rawValue).")
        }
        if let free = samples("library_free_bytes").first?.value, free < leastLibrary {
            concerns.append(Concern(.libraryLow, words: "The library's disk is nearly full."))
        }
        if let verdict = status.verdict, verdict.problemCount > 0 {
            concerns.append(Concern(.libraryDamaged, words: verdict.objection))
        }
        let measured: [(Cause, String, (Double) -> Bool)] = [
            (.spoolLow, "node_spool_free_bytes", { $0 < leastSpool }),
            (.boardHot, "node_temperature_celsius", { $0 > hottest }),
            (.boardThrottled, "node_throttled", { $0 > 0 }), (.boardUndervolted, "node_undervolted", { $0 > 0 }),
        ]
        for (cause, family, isBad) in measured {
            concerns += samples(family).filter { isBad($0.value) }
                .compactMap { $0.labels["node"].flatMap { NodeName($0) } }.map { Concern(cause, of: $0) }
        }
        return concerns
            + nodes.filter { $0.software != nil && $0.software != status.software }
            .map { Concern(.nodeRelease, of: $0.name) }
    }
}

extension LibraryVerdict {
    /// What it has against the library, in a sentence.
    fileprivate var objection: String {
        let first = problems.first.map { ": \($0)" } ?? "."
        return
            "`volley verify` found \(problemCount) problem\(problemCount == 1 ? "" : "s") in the library on "
            + "\(checkedAt.day)\(first)"
    }
}
