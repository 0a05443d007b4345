package import CaptureModel

/// operator -> coordinator: everything about one capture.
package struct ShowRequest: CatalogueMessage, Hashable {
    package typealias Reply = ShowReply
    package static let type = "showRequest"
    /// The capture to show.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}
