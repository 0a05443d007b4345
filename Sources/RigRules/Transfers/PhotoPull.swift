package import CaptureModel

/// A photo to fetch from a node.
package struct PhotoPull: Sendable, Hashable {
    /// Which photo of which node.
    package let key: PhotoID
    /// Its size and its hash, as its node reported them.
    package let file: PhotoFile
    /// Where it goes, relative to the library.
    package let path: String

    package init(key: PhotoID, file: PhotoFile, path: String) {
        self.key = key
        self.file = file
        self.path = path
    }
}
