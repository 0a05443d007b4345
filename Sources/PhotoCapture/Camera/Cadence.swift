package import CaptureModel

/// How far the newest frame's stamp is from where the frames before it suggest; pure.
///
/// Frames begin at an even pace, whatever holds their bytes up on the way: one that arrives much too late was held up.
package struct Cadence: Sendable {
    private static let memory = 64
    /// Fewer say nothing about the next one.
    private static let fewest = 8

    private var frames: [(sequence: UInt32, stamp: MonotonicTime)] = []

    package init() {}

    /// A frame has arrived.
    ///
    /// - Parameter duration: from one frame to the next, in nanoseconds.
    /// - Returns: how late it is, in nanoseconds; nil for the first few frames.
    package mutating func frame(_ sequence: UInt32, _ stamp: MonotonicTime, _ duration: Int64) -> Int64? {
        defer { frames = frames.suffix(Self.memory - 1) + [(sequence, stamp)] }
        guard frames.count >= Self.fewest else { return nil }
        let late = frames.map { stamp - $0.stamp - Int64(Int32(bitPattern: sequence &- $0.sequence)) * duration }
        return late.sorted()[late.count / 2]
    }
}
