package import CaptureModel
package import PhotoEncoding

/// A source of frames with exposure controls: what the capture core needs of a driver, and no more.
///
/// Frames come to the observer on a thread of the camera's own, in order, until ``stopRunning()`` returns.
package protocol Camera: AnyObject, Sendable {
    /// What the camera can do in its active format.
    var capabilities: CameraCapabilities { get }

    /// Begins to deliver frames.
    func startRunning(observer: any CameraObserver) throws(CaptureError)

    /// Ends it; after it returns the observer hears nothing more.
    func stopRunning()

    /// Writes exposure controls now; they take effect ``CameraCapabilities/controlDelayFrames`` frames later.
    ///
    /// - Returns: what the driver made of them.
    @discardableResult
    func setExposure(_ mode: ExposureMode) throws(CaptureError) -> Exposure

    /// The exposure that the camera's automatic has settled on; waits while it still adjusts.
    ///
    /// - Returns: nil where the driver does not tell.
    func settledExposure() async throws(CaptureError) -> Exposure?
}

/// Who controls the exposure. Apple: `AVCaptureDevice.ExposureMode`.
package enum ExposureMode: Hashable, Sendable {
    case continuousAutoExposure
    case custom(Exposure)
}

/// Hears of frames and of the camera's end.
package protocol CameraObserver: AnyObject, Sendable {
    /// A frame has arrived.
    ///
    /// - Parameter contents: takes the picture out of the driver's buffer; valid during the call, and worth its cost
    ///   only for a frame that is wanted.
    func cameraDidOutput(_ frame: FrameInfo, contents: () -> any FrameContents)

    /// No frame will come any more, for this reason.
    func cameraDidFail(_ error: CaptureError)
}

/// What the driver says of a frame.
package struct FrameInfo: Hashable, Sendable {
    /// Counts frames, lost ones included; wraps.
    package var sequence: UInt32
    package var timestamp: MonotonicTime
    package var timestampSource: TimestampSource
    /// The driver flagged the data as broken.
    package var isError: Bool
    /// What the frame was exposed with, where the driver tells.
    package var exposure: Exposure?

    package init(
        sequence: UInt32, timestamp: MonotonicTime, timestampSource: TimestampSource, isError: Bool = false,
        exposure: Exposure? = nil
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.timestampSource = timestampSource
        self.isError = isError
        self.exposure = exposure
    }
}

/// The picture of a frame, out of the driver's hands; turned into what a format needs when it is asked for.
package protocol FrameContents: Sendable {
    /// The finished picture.
    func processedImage() throws -> ProcessedImage
    /// The sensor's samples.
    func rawImage() throws -> BayerImage
}
