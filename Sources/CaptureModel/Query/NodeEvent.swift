/// One event of one node.
package struct NodeEvent: Codable, Sendable, Hashable {
    /// The node's name.
    package var node: NodeName
    /// 1, 2, 3... without a gap, for this node in this capture.
    package var sequence: Int
    /// Which callback it was.
    package var kind: CaptureEventKind
    /// When the callback came; nil where the node did not know rig time.
    package var rigTime: RigTime?
    /// The exposure that it belongs to; nil for the first and the last event.
    package var sequenceCount: Int?
    /// The photo that it reports; nil unless it is `didFinishProcessingPhoto`.
    package var photoCount: Int?
    /// What went wrong, with the capture or with that photo.
    package var error: CaptureError?

    package init(
        node: NodeName, sequence: Int, kind: CaptureEventKind, rigTime: RigTime?, sequenceCount: Int?, photoCount: Int?,
        error: CaptureError?
    ) {
        self.node = node
        self.sequence = sequence
        self.kind = kind
        self.rigTime = rigTime
        self.sequenceCount = sequenceCount
        self.photoCount = photoCount
        self.error = error
    }
}
