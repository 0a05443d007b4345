import CaptureModel
package import RigProtocol

/// What of a rig needs attention, as one look at it says.
package struct Outlook: Sendable {
    /// Below these a library and a spool need attention, in bytes, and above that a board, in degrees Celsius: the limits
    /// of `deploy/prometheus`.
    private static let (leastLibrary, leastSpool, hottest) = (20e9, 1e9, 80.0)

    /// What does.
    package private(set) var concerns: [Concern]
    /// Concerns that cannot be checked now: a board that is away has not cooled.
    private var unknown: Set<Concern.Subject> = []
    /// Whether the rig was seen at all.
    private let isComplete: Bool

    /// - Parameters:
    ///   - nodes: those that are no longer used are passed over.
    ///   - families: the rig's measurements.
    package init(_ status: StatusReply, _ nodes: [NodeSummary], _ families: [MetricFamily]) {
        isComplete = true
        let nodes = nodes.filter { $0.state != .retired }
        func samples(_ name: String) -> [MetricFamily.Sample] {
            families.first { $0.name == "volley_\(name)" }?.samples ?? []
        }
        concerns = nodes.filter { ![.ready, .busy].contains($0.state) }.map { node in
            Concern(
                .nodeNotReady, node.name, words: node.problem ?? "Node \(node.name) is \(node.state.rawValue).",
                occasion: node.state.rawValue)
        }
        if let trouble = status.trouble {
            concerns.append(Concern(.libraryTrouble, words: trouble.words, occasion: trouble.kind.rawValue))
        }
        if let free = samples("library_free_bytes").first?.value {
            if free < Self.leastLibrary, status.trouble?.kind != .full {
                concerns.append(Concern(.libraryLow, words: "The library's disk is nearly full."))
            }
        } else {
            unknown.insert(Concern.Subject(.libraryLow, nil))
        }
        if let verdict = status.verdict {
            if verdict.problemCount > 0 {
                concerns.append(
                    Concern(.libraryDamaged, words: verdict.objection, occasion: "\(verdict.checkedAt.rawValue)"))
            }
        } else {
            unknown.insert(Concern.Subject(.libraryDamaged, nil))
        }
        if let remark = status.retentionRemark { concerns.append(Concern(.retentionPaused, words: remark)) }
        let measured: [(Concern.Cause, String, (Double) -> Bool)] = [
            (.spoolLow, "node_spool_free_bytes", { $0 < Self.leastSpool }),
            (.boardHot, "node_temperature_celsius", { $0 > Self.hottest }),
            (.boardThrottled, "node_throttled", { $0 > 0 }), (.boardUndervolted, "node_undervolted", { $0 > 0 }),
        ]
        for (cause, family, isBad) in measured {
            let values = Dictionary(samples(family).map { ($0.labels["node"] ?? "", $0.value) }) { first, _ in first }
            for node in nodes {
                guard let value = values[node.name.rawValue] else {
                    unknown.insert(Concern.Subject(cause, node.name))
                    continue
                }
                if isBad(value) { concerns.append(Concern(cause, of: node.name)) }
            }
        }
        for node in nodes {
            guard let software = node.software else {
                unknown.insert(Concern.Subject(.nodeRelease, node.name))
                continue
            }
            if software != status.software { concerns.append(Concern(.nodeRelease, of: node.name)) }
        }
    }

    /// Nobody knows how the rig is.
    ///
    /// - Parameter words: why.
    package init(unknown words: String) {
        (concerns, isComplete) = ([Concern(.coordinatorAway, words: words)], false)
    }

    /// Whether it would show something that is wrong.
    func knows(_ subject: Concern.Subject) -> Bool { isComplete && !unknown.contains(subject) }
}

extension LibraryVerdict {
    /// What it has against the library, in a sentence.
    fileprivate var objection: String {
        let first = problems.first.map { ": \($0)" } ?? "."
        return
            "`volley verify` found \(problemCount) problem\(problemCount == 1 ? "" : "s") in the library on "
            + "\(checkedAt.day) at \(checkedAt.timeOfDay) UTC\(first)"
    }
}
