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

/// node -> coordinator, bulk plane: opens the plane for the node that the connection's key belongs to.
package struct BulkHello: WireMessage, Hashable {
    package static let type = "bulkHello"
    /// As in ``Hello/instance``.
    package var instance: String

    package init(instance: String) {
        self.instance = instance
    }
}
