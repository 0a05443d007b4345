/// Everything known about one photo except its bytes; a photo with an error has neither file nor time.
public struct PhotoRecord: Hashable, Sendable, Codable {
    /// 1...expectedPhotoCount, in the order of delivery.
    public let photoCount: Int
    /// The exposure that it comes from; 0 outside a bracket, as in Apple's API.
    public let sequenceCount: Int
    /// The kind of file.
    public let format: PhotoFormat
    /// What was asked for, resolved for this camera.
    public let requested: ResolvedExposure
    /// What was written to the camera.
    public var applied: Exposure?
    /// The lens position that the driver accepted for it; nil where none was set.
    public var appliedLensPosition: Double?
    /// What was in force on the frame, where it is known.
    public var appliedWhiteBalance: WhiteBalance?
    /// The exposure that the frame itself reports.
    public var verified: Exposure?
    /// Whether the frame was proved to be exposed as asked; nil for a failed photo.
    public var verification: Verification?
    /// The fingerprint of the camera profile that it was judged by; nil where the camera has none.
    public var profile: String?
    /// The mean linear brightness of the picture, as a share of saturation; nil where the format does not show it.
    public var brightness: Double?
    /// The driver's sequence number of the frame.
    public var frameSequence: UInt32?
    /// When the exposure began, with its uncertainty; nil for a failed photo.
    public var exposureStart: ExposureStart?
    /// ``exposureStart`` in rig time, with the clock's bound added to its uncertainty.
    public var exposureStartRigTime: RigTime?
    /// How well ``exposureStartRigTime`` is known, the clock's bound included; nil outside a rig.
    public var exposureStartUncertaintyNanoseconds: Int64?
    /// Where ``exposureStartRigTime`` comes from; nil outside a rig.
    public var exposureStartSource: TimestampSource?
    /// Relative to other cameras that saw the same lamp, the clock's bound included; nil where no lamp has shown it.
    public var exposureStartRelative: RelativeUncertainty?
    /// The file; nil for a photo that failed.
    public var file: PhotoFile?
    /// Why there is no photo; nil where there is one.
    public var error: CaptureError?

    /// A record of nothing but what was requested.
    public init(photoCount: Int, sequenceCount: Int, format: PhotoFormat, requested: ResolvedExposure) {
        self.photoCount = photoCount
        self.sequenceCount = sequenceCount
        self.format = format
        self.requested = requested
    }
}
