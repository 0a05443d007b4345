package import CaptureModel

/// operator -> coordinator: photos that match, those of the newest captures in front.
package struct PhotosRequest: CatalogueMessage, Hashable {
    package typealias Reply = PhotosReply
    package static let type = "photosRequest"
    /// Which photos, and how many at most.
    package var filter: PhotoFilter

    package init(filter: PhotoFilter) { self.filter = filter }
}
