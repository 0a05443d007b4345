package import CaptureModel

/// A stamp by a camera's own clock.
package struct DeviceStamp: Hashable, Sendable {
    /// The moment of a frame that a camera stamps.
    ///
    /// UVC (1.5, 2.4.3.3) says "when the raw frame capture begins", and cameras do not agree on what that is. Nothing
    /// that a camera sends settles it; whoever set the camera up has to.
    package enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The first line's exposure begins.
        case startOfExposure
        /// The first line's exposure ends, and its readout begins.
        case endOfExposure
    }

    /// What the camera is said to stamp.
    package let moment: Moment
    /// How well the camera's clock is known on the board's, in nanoseconds.
    package let uncertaintyNanoseconds: Int64
    /// When the frame arrived; what goes by arrivals goes by this.
    package var arrival: MonotonicTime

    package init(_ moment: Moment, uncertaintyNanoseconds: Int64, arrival: MonotonicTime) {
        (self.moment, self.uncertaintyNanoseconds, self.arrival) = (moment, uncertaintyNanoseconds, arrival)
    }
}
