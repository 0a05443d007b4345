/// What a camera is and what it can do for a capture in its active format; what it cannot do is left out, never
/// imitated.
public struct CameraCapabilities: Hashable, Sendable, Codable {
    /// The camera's name in a configuration: `simulated:1`, `v4l2:/dev/video0`.
    public var cameraID: String
    /// What cameras of this model are called.
    public var modelID: String
    /// Empty where the driver does not say.
    public var manufacturer: String
    /// Nil where the device has none; then only its place identifies it.
    public var serialNumber: String?
    /// Where it is plugged in, as the kernel names it, such as `usb-0000:00:14.0-3`; nil where it is not known.
    public var place: String?
    /// The active format's four-character code.
    public var pixelFormat: String
    /// Of the active format.
    public var dimensions: Dimensions
    /// Nominal time from frame to frame, in nanoseconds.
    public var frameDurationNanoseconds: Int64
    /// How long a frame can be made to last, in nanoseconds; nil where that cannot be set frame by frame.
    public var frameDurationRange: ClosedRange<Int64>?
    /// The step between durations that can be set, in nanoseconds: one line of the sensor.
    public var frameDurationStep: Int64?
    /// From the first line's exposure to the last line's, in nanoseconds: 0 for a global shutter, nil where the driver
    /// does not say.
    public var readoutNanoseconds: Int64?
    /// The kinds of file that its frames can become.
    public var formats: [PhotoFormat]
    /// Nil where the exposure time cannot be set.
    public var exposureDurationRange: ClosedRange<ExposureDuration>?
    /// The step between exposure times that can be set; nil where any can.
    public var exposureDurationStep: ExposureDuration?
    /// The ISOs that can be set, in ascending order; empty where any in the range can.
    public var isoValues: [Double] = []
    /// Nil where there is no calibrated ISO.
    public var isoRange: ClosedRange<Double>?
    /// The driver's own gain, which has no unit; nil where there is none, or where an ISO says the same better.
    public var gainRange: ClosedRange<Double>?
    /// In EV; nil where nothing meters, so that automatic brackets are refused.
    public var exposureTargetBiasRange: ClosedRange<Double>?
    /// Whether the brightness of a frame can be read in this format.
    public var canMeter = true
    /// Whether each frame reports what it was exposed with.
    public var tellsExposure = false
    /// Whether the lens can be set to a position.
    public var canSetLensPosition = false
    /// Whether the driver focuses by itself.
    public var hasAutoFocus = false
    /// Whether the driver meters by itself.
    public var hasAutoExposure = false
    /// Which parts of the white balance can be set.
    public var whiteBalance = WhiteBalanceCapability()
    /// Whether the lens has a stabiliser.
    public var hasLensStabilization = false
    /// Nil where nothing is known of it.
    public var lens: Lens?
    /// How it is mounted; nil for upright.
    public var orientation: PictureOrientation?
    /// 0 where the format cannot bracket.
    public var maxBracketedCapturePhotoCount: Int
    /// How many frames its controls take to come into force; nil where that is not known.
    public var controlDelays: ControlDelays?
    /// For each thing that the camera cannot do for Volley, one sentence that says why.
    public var limitations: [String]

    package init(
        cameraID: String, modelID: String, manufacturer: String, serialNumber: String?, pixelFormat: String,
        dimensions: Dimensions, frameDurationNanoseconds: Int64, formats: [PhotoFormat],
        exposureDurationRange: ClosedRange<ExposureDuration>? = nil, isoRange: ClosedRange<Double>? = nil,
        gainRange: ClosedRange<Double>? = nil, exposureTargetBiasRange: ClosedRange<Double>? = nil,
        maxBracketedCapturePhotoCount: Int, controlDelays: ControlDelays? = nil, limitations: [String] = []
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
        self.gainRange = gainRange
        self.exposureTargetBiasRange = exposureTargetBiasRange
        self.maxBracketedCapturePhotoCount = maxBracketedCapturePhotoCount
        self.controlDelays = controlDelays
        self.limitations = limitations
    }
}

extension CameraCapabilities {
    /// The largest that the file of one photo can be in any of these formats, in bytes: three 8-bit samples a pixel, or
    /// one 16-bit sample and a preview of a quarter of the pixels, 640 by 480 at most; plus 64 KiB for metadata.
    public func largestPhotoByteCount(of formats: [PhotoFormat]) -> Int64 {
        largestPhotoByteCount(of: formats, in: dimensions)
    }

    /// The same for a picture that is larger than the stream's.
    package func largestPhotoByteCount(of formats: [PhotoFormat], in dimensions: Dimensions) -> Int64 {
        let samples = Int64(dimensions.width) * Int64(dimensions.height)
        // A JPEG of noise takes no more than its planes do.
        let raw = 2 * samples + min(samples / 4, 640 * 480) * 3 / 2
        return max(formats.contains(.tiff) ? 3 * samples : 0, raw) + 1 << 16
    }
}
