import CaptureModel

/// How long a sensor's lines take, where its driver counts exposures and frames in them; pure.
///
/// linux/Documentation/userspace-api/media/drivers/camera-sensor.rst: frame interval = (width + horizontal blanking) *
/// (height + vertical blanking) / pixel rate.
struct LineTiming: Hashable, Sendable {
    /// By how many lines a frame must be longer than its exposure: the most that usual sensors need (imx708).
    private static let margin: Int64 = 48

    /// A line, in nanoseconds.
    let line: Double
    /// Of the picture, in lines.
    let height: Int64
    /// What vertical blanking can be set to, in lines.
    let blanking: ClosedRange<Int64>

    /// - Returns: nil for numbers that no sensor has.
    init?(pixelRate: Int64, horizontalBlanking: Int64, width: Int, height: Int, blanking: ClosedRange<Int64>) {
        guard pixelRate > 0, horizontalBlanking >= 0, width > 0, height > 0, blanking.lowerBound >= 0 else {
            return nil
        }
        line = Double(Int64(width) + horizontalBlanking) / Double(pixelRate) * 1e9
        self.height = Int64(height)
        self.blanking = blanking
    }

    /// How long a frame can be made to last, in nanoseconds.
    var frameDurations: ClosedRange<Int64> {
        duration(lines: height + blanking.lowerBound)...duration(lines: height + blanking.upperBound)
    }

    /// A whole number of nanoseconds; a line is not.
    func duration(lines: Int64) -> Int64 { Int64((Double(lines) * line).rounded()) }

    func lines(_ nanoseconds: Int64) -> Int64 { Int64((Double(nanoseconds) / line).rounded()) }

    /// The blanking that makes a frame last this long.
    func blanking(frameDuration: Int64) -> Int64 {
        min(max(lines(frameDuration) - height, blanking.lowerBound), blanking.upperBound)
    }

    /// The least blanking of a frame that can hold an exposure of this many lines.
    func blanking(exposureLines: Int64) -> Int64 {
        min(max(exposureLines + Self.margin - height, blanking.lowerBound), blanking.upperBound)
    }
}
