package import CaptureModel

/// operator -> coordinator: give up this capture.
package struct CancelRequest: OperatorMessage, Hashable {
    /// The same id: the capture is being given up, and its end is still to come.
    package typealias Reply = FireReply
    package static let type = "cancelRequest"
    /// The capture, which must not be over.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}
