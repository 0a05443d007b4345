package import CaptureModel

/// coordinator -> operator: the capture exists, under this id.
package struct FireReply: WireMessage, Hashable {
    package static let type = "fireReply"
    /// The capture's identity; that of the earlier capture where the request is a repetition.
    package var uniqueID: UniqueID
    /// The capture that has a node which this one needs, and that it waits for; nil where it begins at once.
    package var waitsFor: UniqueID?

    package init(uniqueID: UniqueID, waitsFor: UniqueID? = nil) {
        (self.uniqueID, self.waitsFor) = (uniqueID, waitsFor)
    }
}
