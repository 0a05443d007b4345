/// One node's part in a capture.
package struct CaptureNodeDetail: Codable, Sendable, Hashable {
    /// The node's name.
    package var node: NodeName
    /// Where its part stands, which may differ from the capture's state.
    package var state: CaptureState
    /// Why its part is not complete, in one sentence; nil where it is.
    package var reason: String?
    /// How many photos it owes, failed ones included.
    package var expectedPhotoCount: Int
    /// How much later than the rig it was to fire, in nanoseconds.
    package var offset: Int64 = 0
    /// The state of its knowledge of rig time when it was told to fire.
    package var clockStatus: String?
    /// How well it knew rig time then, in nanoseconds.
    package var clockBound: Int64?
    /// The camera that took the part; nil for a node that was never told to fire.
    package var camera: CameraUsed?

    package init(node: NodeName, state: CaptureState, reason: String?, expectedPhotoCount: Int) {
        self.node = node
        self.state = state
        self.reason = reason
        self.expectedPhotoCount = expectedPhotoCount
    }
}
