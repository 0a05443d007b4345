/// A device's clock: 48 MHz, 37 parts per million fast, and about to wrap.
struct DeviceClockTicks {
    private static let start = Int64(UInt32.max) - 20 * 48_000_000
    private let zero: Int64

    /// - Parameter zero: an instant of CLOCK_MONOTONIC, in nanoseconds.
    init(zero: Int64) {
        self.zero = zero
    }

    func ticks(at nanoseconds: Int64) -> UInt32 {
        let elapsed = Double(nanoseconds - zero) * 0.048 * (1 + 37e-6)
        return UInt32(truncatingIfNeeded: Self.start + Int64(elapsed))
    }
}
