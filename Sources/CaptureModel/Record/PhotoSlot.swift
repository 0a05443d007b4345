/// Which file of a node's part in a capture: each exposure owes one for each format.
package struct PhotoSlot: Hashable, Sendable {
    /// The exposure that it comes from, 1 for the first.
    package let sequenceCount: Int
    /// The kind of file.
    package let format: PhotoFormat

    package init(sequenceCount: Int, format: PhotoFormat) {
        self.sequenceCount = sequenceCount
        self.format = format
    }
}

extension PhotoRecord {
    /// Which of the files that its node owes it is.
    package var slot: PhotoSlot { PhotoSlot(sequenceCount: sequenceCount, format: format) }
}
