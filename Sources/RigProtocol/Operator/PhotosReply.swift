package import CaptureModel

/// coordinator -> operator: the photos that match.
package struct PhotosReply: WireMessage, Hashable {
    package static let type = "photosReply"
    /// The photos, their paths relative to ``library``.
    package var found: Found<FoundPhoto>
    /// The path of the library on the coordinator's machine.
    package var library: String

    package init(found: Found<FoundPhoto>, library: String) { (self.found, self.library) = (found, library) }
}
