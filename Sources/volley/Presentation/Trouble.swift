import CaptureModel
import RigProtocol

/// What a capture that takes long is waiting for, for the operator who waits.
struct Trouble {
    /// For people; those of several nodes are told together.
    let lines: [String]
    /// What they are about: as long as this is the same, only numbers have changed.
    let causes: Set<String>

    init(of capture: CaptureDetail, _ nodes: [NodeSummary]) {
        var causes: Set<String> = []
        var waiting: [NodeName: String] = [:]
        // Before that nothing is owed.
        let isOwed = [.firing, .collecting].contains(capture.summary.state)
        for part in capture.nodes where isOwed && !part.state.isFinal {
            let stored = capture.photos.count { $0.node == part.node && $0.path != nil }
            let node = nodes.first { $0.name == part.node }
            let problem = node.flatMap { [.ready, .busy].contains($0.state) ? nil : $0.problem ?? $0.state.rawValue }
            waiting[part.node] =
                "\(stored) of \(part.expectedPhotoCount) photos are there" + (problem.map { "; \($0)" } ?? ".")
            causes.insert("\(part.node) \(problem ?? "")")
        }
        lines = FoldedReasons.lines(waiting).map { "Waiting for \($0)" }
        self.causes = causes
    }
}
