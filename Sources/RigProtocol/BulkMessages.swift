package import CaptureModel

/// coordinator -> node, bulk plane: send me this piece of a photo. The request is the credit for its answer.
package struct ChunkRequest: WireMessage, Hashable {
    package static let type = "chunkRequest"
    package var uniqueID: UniqueID
    package var photoCount: Int
    package var offset: Int
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
    package var uniqueID: UniqueID
    package var photoCount: Int
    package var offset: Int
    /// Why there are no bytes.
    package var error: CaptureError?

    package init(uniqueID: UniqueID, photoCount: Int, offset: Int, error: CaptureError? = nil) {
        self.uniqueID = uniqueID
        self.photoCount = photoCount
        self.offset = offset
        self.error = error
    }
}

/// node -> coordinator, bulk plane: I am the node of this name; opens the plane.
package struct BulkHello: WireMessage, Hashable {
    package static let type = "bulkHello"
    /// As in ``Hello``.
    package var instance: String

    package init(instance: String) {
        self.instance = instance
    }
}
