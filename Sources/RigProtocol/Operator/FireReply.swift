package import CaptureModel

/// coordinator -> operator: the capture exists, under this id.
package struct FireReply: WireMessage, Hashable {
    package static let type = "fireReply"
    /// The capture's identity; that of the earlier capture where the request is a repetition.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}
