package import CaptureModel

/// coordinator -> node: the first exposure begins at this instant.
package struct Fire: WireMessage, Hashable {
    package static let type = "fire"
    /// The capture, which the node has prepared.
    package var uniqueID: UniqueID
    /// When the first exposure begins, the node's own offset in the plan included.
    package var rigTime: RigTime
    /// How long after ``rigTime`` each step begins, in nanoseconds.
    package var stepOffsets: [Int64]

    package init(uniqueID: UniqueID, rigTime: RigTime, stepOffsets: [Int64] = []) {
        self.uniqueID = uniqueID
        self.rigTime = rigTime
        self.stepOffsets = stepOffsets
    }
}
