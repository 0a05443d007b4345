package import CaptureModel

/// What a person should look at.
package struct Concern: Hashable, Sendable {
    /// What is wrong; the words are those of alarms' documents.
    package enum Cause: String, Sendable, Codable, CaseIterable {
        case coordinatorAway, nodeNotReady, libraryTrouble, libraryLow, libraryDamaged, retentionPaused, spoolLow,
            boardHot, boardThrottled
        case boardUndervolted, nodeRelease, captureIncomplete

        /// What it is called where the names of several nodes follow; nil where each has words of its own.
        fileprivate var title: String? {
            switch self {
            case .coordinatorAway, .nodeNotReady, .libraryTrouble, .libraryLow, .libraryDamaged, .retentionPaused,
                .captureIncomplete:
                nil
            case .spoolLow: "The spool is nearly full"
            case .boardHot: "The board is too hot"
            case .boardThrottled: "The board is throttled"
            case .boardUndervolted: "The board has too little voltage"
            case .nodeRelease: "Not of the coordinator's release"
            }
        }
    }

    /// What is wrong.
    package let cause: Cause
    /// With which node; nil where it is the rig's.
    package let node: NodeName?
    /// The same in a sentence.
    package let words: String
    /// What tells it from another of the same cause: a node that comes back without its camera is another concern.
    package let occasion: String

    /// What it is about.
    package struct Subject: Hashable, Sendable {
        let cause: Cause
        let node: NodeName?

        init(_ cause: Cause, _ node: NodeName?) { (self.cause, self.node) = (cause, node) }
    }

    package init(_ cause: Cause, _ node: NodeName? = nil, words: String, occasion: String = "") {
        (self.cause, self.node, self.words, self.occasion) = (cause, node, words, occasion)
    }

    var subject: Subject { Subject(cause, node) }

    /// - Parameter cause: one that has a title.
    init(_ cause: Cause, of node: NodeName) {
        self.init(cause, node, words: "\(cause.title ?? ""): \(node).")
    }

    /// Sentences in which the names of those that have the same are together.
    package static func sentences(_ concerns: [Concern]) -> [String] {
        // What many nodes say alike is said once.
        let away = concerns.filter { $0.cause == .nodeNotReady }
        let folded = Dictionary(away.compactMap { concern in concern.node.map { ($0, concern.words) } }) { first, _ in
            first
        }
        let own =
            FoldedReasons.lines(folded, namesAll: false)
            + concerns.filter { $0.cause.title == nil && $0.cause != .nodeNotReady }.map(\.words)
        let shared = Cause.allCases.compactMap { cause -> String? in
            let nodes = concerns.filter { $0.cause == cause }.compactMap(\.node)
            guard let title = cause.title, !nodes.isEmpty else { return nil }
            return "\(title): \(nodes.sorted { $0.precedes($1) }.map(\.rawValue).joined(separator: ", "))."
        }
        return own + shared
    }
}
