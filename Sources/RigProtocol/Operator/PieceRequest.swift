package import CaptureModel

/// operator -> coordinator: send me this piece of a photo's file. The request is the credit for its answer.
package struct PieceRequest: CatalogueMessage, Hashable {
    package typealias Reply = PieceReply
    package static let type = "pieceRequest"
    /// The longest piece, in bytes.
    package static let mostLength = 1 << 20
    /// The capture that the photo belongs to.
    package var uniqueID: UniqueID
    /// The node that took it.
    package var node: NodeName
    /// Which of the node's photos it is, 1 for the first.
    package var photoCount: Int
    /// Where the piece begins in the file, in bytes.
    package var offset: Int
    /// How long the piece is, in bytes.
    package var length: Int

    package init(_ photo: PhotoID, offset: Int, length: Int) {
        (uniqueID, node, photoCount) = (photo.uniqueID, photo.node, photo.photoCount)
        (self.offset, self.length) = (offset, length)
    }

    /// The photo that is meant.
    package var photo: PhotoID { PhotoID(uniqueID: uniqueID, node: node, photoCount: photoCount) }

    /// Why it is refused before anything is read; nil where it can be considered.
    package var problem: String? {
        (1...Self.mostLength).contains(length) && offset >= 0 && offset < 1 << 50
            ? nil : "A piece has 1 to \(Self.mostLength) bytes, and begins in its file."
    }
}

/// coordinator -> operator: the piece, whose bytes are the second frame; shorter where the file ends before.
package struct PieceReply: WireMessage, Hashable {
    package static let type = "pieceReply"
    /// Where the piece begins in the file, in bytes.
    package var offset: Int

    package init(offset: Int) { self.offset = offset }
}
