extension BinaryInteger where Self: FixedWidthInteger {
    /// The nearest number that there is; 0 for what is not a number. What comes over a wire may be anything.
    package init(clamped value: Double) {
        self = Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
