package import CaptureModel

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
