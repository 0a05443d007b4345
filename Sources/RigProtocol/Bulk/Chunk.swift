package import CaptureModel

/// node -> coordinator, bulk plane: the piece, whose bytes are the second frame.
package struct Chunk: WireMessage, Hashable {
    package static let type = "chunk"
    /// The capture that the photo belongs to.
    package var uniqueID: UniqueID
    /// Which of the node's photos it is, 1 for the first.
    package var photoCount: Int
    /// Where the piece begins in the file, in bytes; as in the request.
    package var offset: Int
    /// Why there are no bytes; nil where there are.
    package var error: CaptureError?

    package init(uniqueID: UniqueID, photoCount: Int, offset: Int, error: CaptureError? = nil) {
        self.uniqueID = uniqueID
        self.photoCount = photoCount
        self.offset = offset
        self.error = error
    }
}
