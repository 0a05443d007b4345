package import CaptureModel

/// coordinator -> operator: the capture exists, under this id.
package struct FireReply: WireMessage, Hashable {
    package static let type = "fireReply"
    /// The capture's identity; that of the earlier capture where the request is a repetition.
    package var uniqueID: UniqueID
    /// The capture that it waits for, as that has a node of it or is before it in the queue; nil where it waits for none.
    package var waitsFor: UniqueID?
    /// What somebody may not expect, in lines; nil for nothing.
    package var remarks: [String]?

    package init(uniqueID: UniqueID, waitsFor: UniqueID? = nil) {
        (self.uniqueID, self.waitsFor) = (uniqueID, waitsFor)
    }
}
