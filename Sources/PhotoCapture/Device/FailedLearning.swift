import CaptureModel

/// A camera that could not be learned, and until when that is not tried again; pure.
///
/// One that was seen to ignore its exposure is not asked again before its format or the light is another. Where its
/// pictures only showed too little, or contradicted each other, it is also tried again after a while, each time after a
/// longer one.
struct FailedLearning: Sendable {
    /// Between two attempts, in nanoseconds.
    private static let (shortestPause, longestPause) = (Int64.seconds(60), Int64.seconds(3600))
    /// A picture brighter or darker by more than this, as a share of white, is of another light.
    private static let otherLight: Float = 0.15

    /// Why, and what to do.
    let error: CaptureError
    private let brightness: Float?
    private let time: MonotonicTime?
    private let pause: Int64

    /// - Parameters:
    ///   - brightness: the mean of a picture from before the attempt; nil where none was metered.
    ///   - time: of the newest frame.
    ///   - former: the failure before this one.
    init(_ error: CaptureError, brightness: Float?, at time: MonotonicTime?, after former: FailedLearning?) {
        (self.error, self.brightness, self.time) = (error, brightness, time)
        pause = former.map { min(2 * $0.pause, Self.longestPause) } ?? Self.shortestPause
    }

    /// Whether it should be tried again.
    ///
    /// - Parameters:
    ///   - brightness: the mean of the newest picture.
    ///   - now: the time of the newest frame.
    func isDue(brightness: Float?, at now: MonotonicTime?) -> Bool {
        if let then = self.brightness, let brightness, abs(brightness - then) > Self.otherLight { return true }
        guard error.code != .exposureIgnored, let time, let now else { return false }
        return now - time >= pause
    }
}
