/// What a camera can do for a capture, in the format that is active now; what it cannot is left out, never imitated.
package struct CameraCapabilities: Hashable, Sendable, Codable {
    /// The camera's name in a configuration: `simulated:1`, `v4l2:/dev/video0`.
    package var cameraID: String
    package var modelID: String
    package var manufacturer: String
    /// Nil where the device has none; then only its place (by-path, bus) identifies it.
    package var serialNumber: String?
    /// The active format's four-character code.
    package var pixelFormat: String
    package var dimensions: Dimensions
    /// Nominal time from frame to frame, in nanoseconds.
    package var frameDurationNanoseconds: Int64
    package var formats: [PhotoFormat]
    /// Nil where the exposure time cannot be set.
    package var exposureDurationRange: ClosedRange<ExposureDuration>?
    /// Nil where there is no calibrated ISO.
    package var isoRange: ClosedRange<Double>?
    /// In EV; nil where nothing meters, so that automatic brackets are refused.
    package var exposureTargetBiasRange: ClosedRange<Double>?
    /// 0 where the format cannot bracket.
    package var maxBracketedCapturePhotoCount: Int
    /// How many frames after a control was written its effect is seen.
    package var controlDelayFrames: Int
    /// For each thing that the camera cannot do for Volley, one sentence that says why.
    package var limitations: [String]

    package init(
        cameraID: String, modelID: String, manufacturer: String, serialNumber: String?, pixelFormat: String,
        dimensions: Dimensions, frameDurationNanoseconds: Int64, formats: [PhotoFormat],
        exposureDurationRange: ClosedRange<ExposureDuration>? = nil, isoRange: ClosedRange<Double>? = nil,
        exposureTargetBiasRange: ClosedRange<Double>? = nil, maxBracketedCapturePhotoCount: Int,
        controlDelayFrames: Int, limitations: [String] = []
    ) {
        self.cameraID = cameraID
        self.modelID = modelID
        self.manufacturer = manufacturer
        self.serialNumber = serialNumber
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameDurationNanoseconds = frameDurationNanoseconds
        self.formats = formats
        self.exposureDurationRange = exposureDurationRange
        self.isoRange = isoRange
        self.exposureTargetBiasRange = exposureTargetBiasRange
        self.maxBracketedCapturePhotoCount = maxBracketedCapturePhotoCount
        self.controlDelayFrames = controlDelayFrames
        self.limitations = limitations
    }
}

extension CameraCapabilities {
    /// What the file of one photo may take, in bytes: samples of 16 bits, and 64 KiB for what goes with them.
    package var largestPhotoByteCount: Int64 {
        Int64(dimensions.width) * Int64(dimensions.height) * 2 + 1 << 16
    }
}
