package import CaptureModel

/// coordinator -> operator: the plan could be captured now; where it could not, a refusal says why.
package struct CheckReply: WireMessage, Hashable {
    package static let type = "checkReply"
    /// The nodes that would take part.
    package var nodes: [NodeName]
    /// What the others have against it, one sentence each.
    package var objections: [String]
    /// How many photos there would be.
    package var expectedPhotoCount: Int

    package init(nodes: [NodeName], objections: [String], expectedPhotoCount: Int) {
        (self.nodes, self.objections, self.expectedPhotoCount) = (nodes, objections, expectedPhotoCount)
    }
}
