package import CaptureModel

/// coordinator -> operator: the plan could be captured now; where it could not, a refusal says why.
package struct CheckReply: WireMessage, Hashable {
    package static let type = "checkReply"
    /// The nodes that would take part.
    package var nodes: [NodeName]
    /// What the others have against it, one sentence each.
    package var objections: [String]
    /// The same by their names; nil from an older coordinator.
    package var objectionsByNode: [String: String]?
    /// How many photos there would be.
    package var expectedPhotoCount: Int
    /// The least time for which a capture would occupy its nodes, in nanoseconds; nil from an older coordinator.
    package var leastNanoseconds: Int64?
    /// About the least time from the order to the first exposure, in nanoseconds; nil from an older coordinator.
    package var leadNanoseconds: Int64?
    /// The capture that it would wait for; nil for none, and from an older coordinator.
    package var waitsFor: UniqueID?
    /// What somebody may not expect, in lines; nil for nothing.
    package var remarks: [String]?

    package init(
        nodes: [NodeName], objections: [NodeName: String], expectedPhotoCount: Int, leastNanoseconds: Int64,
        waitsFor: UniqueID? = nil
    ) {
        self.waitsFor = waitsFor
        (self.nodes, self.objections) = (nodes, FoldedReasons.lines(objections))
        objectionsByNode = objections.byName
        (self.expectedPhotoCount, self.leastNanoseconds) = (expectedPhotoCount, leastNanoseconds)
    }
}

extension [NodeName: String] {
    /// The same as an object on the wire has it.
    var byName: [String: String] {
        [String: String](uniqueKeysWithValues: map { ($0.key.rawValue, $0.value) })
    }
}
