package import CaptureModel

/// coordinator -> node, bulk plane: send me this piece of a photo. The request is the credit for its answer.
package struct ChunkRequest: WireMessage, Hashable {
    package static let type = "chunkRequest"
    /// The capture that the photo belongs to.
    package var uniqueID: UniqueID
    /// Which of the node's photos it is, 1 for the first.
    package var photoCount: Int
    /// Where the piece begins in the file, in bytes.
    package var offset: Int
    /// How long the piece is, in bytes.
    package var length: Int

    package init(uniqueID: UniqueID, photoCount: Int, offset: Int, length: Int) {
        self.uniqueID = uniqueID
        self.photoCount = photoCount
        self.offset = offset
        self.length = length
    }
}
