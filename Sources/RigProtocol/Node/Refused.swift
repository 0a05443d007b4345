package import CaptureModel

/// node -> coordinator: this capture will not happen here, and no part of it did.
package struct Refused: WireMessage, Hashable {
    package static let type = "refused"
    /// The capture that the node was to prepare or to fire.
    package var uniqueID: UniqueID
    /// Why it is refused.
    package var error: CaptureError

    package init(uniqueID: UniqueID, error: CaptureError) {
        self.uniqueID = uniqueID
        self.error = error
    }
}
