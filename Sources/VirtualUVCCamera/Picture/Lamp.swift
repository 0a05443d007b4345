/// A lamp that all cameras on a machine look at, in an otherwise dark room. When it is on depends only on the machine's
/// clock.
struct Lamp: Sendable {
    /// The approximate time from one change to the next, in nanoseconds.
    let every: Int64

    /// How much light falls into an exposure, as a multiple of daylight.
    func light(from start: Int64, _ exposure: Int64) -> Double {
        let samples = Int64(256)
        let lit = (0..<samples).count { isLit(start + exposure * $0 / samples) }
        return 0.004 + 0.06 * Double(lit) / Double(samples)
    }

    /// Whether the lamp is on; each change comes up to a quarter of the interval later than a steady rhythm would have
    /// it.
    private func isLit(_ time: Int64) -> Bool {
        let turn = time / every
        let late = Int64((UInt64(bitPattern: turn) &* 0x9E37_79B9_7F4A_7C15) >> 32) % (every / 4)
        return (time % every >= late ? turn : turn - 1) % 2 == 1
    }
}
