package import CaptureModel

/// What a person should look at.
package struct Concern: Hashable, Sendable {
    /// What is wrong; the words are those of alarms' documents.
    package enum Cause: String, Sendable, Codable, CaseIterable {
        case coordinatorAway, nodeNotReady, libraryLow, libraryDamaged, spoolLow, boardHot, boardThrottled
        case boardUndervolted, nodeRelease, captureIncomplete

        /// What it is called where the names of several nodes follow; nil where each has words of its own.
        fileprivate var title: String? {
            switch self {
            case .coordinatorAway, .nodeNotReady, .libraryLow, .libraryDamaged, .captureIncomplete: nil
            case .spoolLow: "The spool is nearly full"
            case .boardHot: "The board is too hot"
            case .boardThrottled: "The board is throttled"
            case .boardUndervolted: "The board has too little voltage"
            case .nodeRelease: "Of another release than the coordinator"
            }
        }
    }

    /// What is wrong.
    package let cause: Cause
    /// With which node; nil where it is the rig's.
    package let node: NodeName?
    /// The same in a sentence.
    package let words: String

    package init(_ cause: Cause, _ node: NodeName? = nil, words: String) {
        (self.cause, self.node, self.words) = (cause, node, words)
    }

    /// - Parameter cause: one that has a title.
    init(_ cause: Cause, of node: NodeName) {
        self.init(cause, node, words: "\(cause.title ?? ""): \(node).")
    }

    /// Sentences in which the names of those that have the same are together.
    package static func sentences(_ concerns: [Concern]) -> [String] {
        let own = concerns.filter { $0.cause.title == nil }.map(\.words)
        let shared = Cause.allCases.compactMap { cause -> String? in
            let nodes = concerns.filter { $0.cause == cause }.compactMap(\.node)
            guard let title = cause.title, !nodes.isEmpty else { return nil }
            return "\(title): \(nodes.sorted { $0.precedes($1) }.map(\.rawValue).joined(separator: ", "))."
        }
        return own + shared
    }
}
