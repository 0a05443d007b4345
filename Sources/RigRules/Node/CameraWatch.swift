package import CaptureModel

/// Notices a driver that holds on to its thread for too long; pure. Nothing but the end of the process mends that.
package struct CameraWatch: Sendable {
    private let limit: Int64
    /// When an attempt to open the camera last began or ended.
    private var lastAttempt: MonotonicTime

    /// - Parameter limit: for how long a camera may do nothing beyond its own patience, in nanoseconds.
    package init(limit: Int64, now: MonotonicTime) {
        (self.limit, lastAttempt) = (limit, now)
    }

    /// Notes that an attempt to open the camera began, or ended, whatever came of it.
    package mutating func attempted(at now: MonotonicTime) { lastAttempt = now }

    /// Says that the camera hangs; nil where it does not.
    ///
    /// - Parameters:
    ///   - lastTurn: when the driver last delivered or refused anything; nil for no camera.
    ///   - patience: for how long this camera may be silent, in nanoseconds.
    package func alarm(lastTurn: MonotonicTime?, patience: Int64, now: MonotonicTime) -> String? {
        let silence = now - max(lastAttempt, lastTurn ?? lastAttempt)
        guard silence > limit + patience else { return nil }
        return
            "The camera's driver hangs: for \(silence / 1_000_000_000) s it has neither delivered nor refused anything."
    }
}
