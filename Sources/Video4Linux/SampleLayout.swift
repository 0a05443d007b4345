/// How the samples of a row are laid out.
package struct SampleLayout: Hashable, Sendable {
    /// Significant bits of a sample: 8 to 16.
    package let bits: Int
    /// As MIPI CSI-2 sends them: the upper eight bits of some samples, a byte each, then the lower bits of all of them,
    /// the first sample's lowest. Else each has a byte or a 16-bit little-endian word.
    package let isPacked: Bool

    package init(bits: Int, isPacked: Bool = false) {
        self.bits = bits
        self.isPacked = isPacked
    }

    /// The sample value of white.
    package var white: UInt16 { UInt16(truncatingIfNeeded: 1 << bits - 1) }
}
