import Video4Linux

extension SampleLayout {
    /// The bits of a packed sample beyond its upper eight: 2, 4 or 6.
    private var lowBits: Int { bits - 8 }
    /// The number of packed samples that fill whole bytes.
    private var group: Int { lowBits == 4 ? 2 : 4 }
    private var groupBytes: Int { group * bits / 8 }

    /// How many bytes a row takes, not counting its padding.
    func byteCount(of width: Int) -> Int {
        isPacked ? (width + group - 1) / group * groupBytes : width * (bits > 8 ? 2 : 1)
    }

    /// A sample of the row that begins at this offset in bytes.
    func sample(_ bytes: UnsafeRawBufferPointer, row: Int, _ column: Int) -> UInt16 {
        if isPacked { return packedSample(bytes, row, column) }
        return bits > 8
            ? UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: row + column * 2, as: UInt16.self))
            : UInt16(bytes[row + column])
    }

    private func packedSample(_ bytes: UnsafeRawBufferPointer, _ row: Int, _ column: Int) -> UInt16 {
        let (start, place) = (row + column / group * groupBytes, column % group)
        var lows = UInt32(0)
        for index in (group..<groupBytes).reversed() { lows = lows << 8 | UInt32(bytes[start + index]) }
        let low = lows >> (lowBits * place) & (1 << lowBits - 1)
        return UInt16(bytes[start + place]) << lowBits | UInt16(low)
    }
}
