package import CaptureModel

/// What the driver says of a frame.
package struct FrameInfo: Hashable, Sendable {
    /// Counts frames, lost ones included; wraps.
    package var sequence: UInt32
    package var timestamp: MonotonicTime
    package var timestampSource: TimestampSource
    /// The driver flagged the data as broken.
    package var isError: Bool
    /// A later frame waits already: what is written now lands later than the number says.
    package var isBehind: Bool
    /// What the frame was exposed with, where the driver tells.
    package var exposure: Exposure?

    package init(
        sequence: UInt32, timestamp: MonotonicTime, timestampSource: TimestampSource, isError: Bool = false,
        isBehind: Bool = false, exposure: Exposure? = nil
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.timestampSource = timestampSource
        self.isError = isError
        self.isBehind = isBehind
        self.exposure = exposure
    }
}

extension FrameInfo {
    /// When the exposure of the frame began, with what the timestamp's source leaves open.
    ///
    /// A stamp of the start of exposure says it to the microsecond that V4L2 keeps. A stamp of the end of the frame
    /// lies after the exposure and the readout, which takes anything up to a frame: start = stamp - exposure -
    /// readout, with readout in (0, frame]. Where the exposure is unknown it too lies in (0, frame].
    package func exposureStart(duration: ExposureDuration?, frameDurationNanoseconds frame: Int64) -> ExposureStart {
        switch (timestampSource, duration?.nanoseconds) {
        case (.startOfExposure, _):
            ExposureStart(time: timestamp, uncertaintyNanoseconds: 1000, source: timestampSource)
        case (.endOfFrame, .some(let exposure)):
            ExposureStart(
                time: timestamp - exposure - frame / 2, uncertaintyNanoseconds: frame / 2, source: timestampSource)
        case (.endOfFrame, .none):
            ExposureStart(time: timestamp - frame, uncertaintyNanoseconds: frame, source: timestampSource)
        }
    }
}
