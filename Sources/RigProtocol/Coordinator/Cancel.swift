package import CaptureModel

/// coordinator -> node: give up this capture, and deliver what is owed as errors.
package struct Cancel: WireMessage, Hashable {
    package static let type = "cancel"
    /// The capture, prepared or fired.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}
