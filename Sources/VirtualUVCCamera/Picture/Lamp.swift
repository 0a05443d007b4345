/// A lamp that all cameras of a machine look at, in a room that it alone lights: when it is on hangs on the machine's
/// clock alone.
struct Lamp: Sendable {
    /// From one change to the next, about, in nanoseconds.
    let every: Int64

    /// How much light falls into an exposure, as a multiple of what does without it by day.
    func light(from start: Int64, _ exposure: Int64) -> Double {
        let samples = Int64(256)
        let lit = (0..<samples).count { isLit(start + exposure * $0 / samples) }
        return 0.004 + 0.06 * Double(lit) / Double(samples)
    }

    /// Each change comes up to a quarter later than it would in a rhythm.
    private func isLit(_ time: Int64) -> Bool {
        let turn = time / every
        let late = Int64((UInt64(bitPattern: turn) &* 0x9E37_79B9_7F4A_7C15) >> 32) % (every / 4)
        return (time % every >= late ? turn : turn - 1) % 2 == 1
    }
}
