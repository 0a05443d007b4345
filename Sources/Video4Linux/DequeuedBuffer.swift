/// A frame that the driver handed over, until it is queued again. C: `struct v4l2_buffer`.
package struct DequeuedBuffer: Sendable {
    /// Which buffer it is, to queue it again by.
    package let index: Int
    /// Counts frames, including those that nobody got: a gap is a lost frame.
    package let sequence: UInt32
    /// On CLOCK_MONOTONIC, in nanoseconds.
    package let timestampNanoseconds: Int64
    /// Whether the timestamp marks the start of exposure; else it marks the end of the frame.
    package let isStartOfExposure: Bool
    /// Whether the timestamp is on CLOCK_MONOTONIC at all.
    package let isMonotonic: Bool
    /// The driver says that the data are broken. C: `V4L2_BUF_FLAG_ERROR`.
    package let isError: Bool
    /// How much of the buffer the frame takes, never more than its length.
    package let bytesUsed: Int
}
