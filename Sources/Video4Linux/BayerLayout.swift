/// How a Bayer format packs its samples.
package struct BayerLayout: Hashable, Sendable {
    /// The colours of the first four pixels: two of the first row, two of the second.
    package enum Pattern: String, Sendable, Hashable {
        case rggb, grbg, gbrg, bggr
    }

    /// Which colour each sample is of.
    package let pattern: Pattern
    /// How wide the samples are, and how they are packed.
    package let samples: SampleLayout
}
