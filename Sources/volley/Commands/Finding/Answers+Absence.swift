import CaptureModel

extension Answers {
    /// Why none of the photos that are meant is there, in sentences.
    ///
    /// - Parameter captures: those that they would be of.
    func absence(of photos: PhotoFilter, in captures: [CaptureDetail]) async throws -> String {
        guard !captures.isEmpty else {
            var one = photos
            one.limit = 1
            return (["No capture matches."] + (try await self.photos(one).0.remarks)).joined(separator: " ")
        }
        let stepCount = captures.map(\.stepCount).max() ?? 1
        if !photos.steps.isEmpty, photos.steps.allSatisfy({ $0 > stepCount }) {
            return stepCount == 1 ? "There is one step only." : "There are steps 1 to \(stepCount) only."
        }
        let nodes = Set(captures.flatMap(\.nodes).map(\.node))
        if !photos.nodes.isEmpty, !nodes.contains(where: { node in photos.nodes.contains { $0.matches(node) } }) {
            return "No such node took part, but \(nodes.folded)."
        }
        guard captures.count == 1, let capture = captures.first?.summary, capture.state != .complete else {
            return "No photo matches."
        }
        let reason = capture.reason.map { ": \($0.printableLine)" } ?? "."
        return "No photo matches; capture \(capture.uniqueID) is \(capture.state.rawValue)\(reason)"
    }
}
