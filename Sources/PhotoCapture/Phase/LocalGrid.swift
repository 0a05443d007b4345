package import CaptureModel

/// The instants on which the frames of all cameras are to begin, on this board's clock.
package struct LocalGrid: Sendable, Hashable {
    /// One of the instants, on CLOCK_MONOTONIC.
    package let origin: MonotonicTime
    /// From one to the next, in nanoseconds.
    package let period: Double

    package init(origin: MonotonicTime, period: Double) {
        self.origin = origin
        self.period = period
    }

    /// How much later an instant is than the nearest one of the grid, in nanoseconds; within half a period either way.
    package func phase(of time: MonotonicTime) -> Double {
        wrapped(Double(time - origin))
    }

    /// A distance without whole periods, in nanoseconds; within half a period either way.
    package func wrapped(_ nanoseconds: Double) -> Double {
        nanoseconds - (nanoseconds / period).rounded() * period
    }
}
