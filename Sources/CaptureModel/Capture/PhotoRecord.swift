/// An exposure in the units of a camera.
public struct Exposure: Hashable, Sendable, Codable {
    /// Nil where it is not known.
    public var duration: ExposureDuration?
    /// Only where the camera's sensitivity is calibrated.
    public var iso: Double?
    /// The driver's own gain value where it has no ISO; it has no unit.
    public var gain: Double?

    /// An exposure; what is left out is not known.
    public init(duration: ExposureDuration? = nil, iso: Double? = nil, gain: Double? = nil) {
        self.duration = duration
        self.iso = iso
        self.gain = gain
    }
}

/// Whether a photo's exposure is known to be the one that was asked for.
public enum Verification: Hashable, Sendable, Codable {
    case verified
    /// The frame carries a different exposure; the photo is an error.
    case mismatch
    /// It cannot be known; the reason is a sentence.
    case unverifiable(reason: String)

    /// The word that the catalogue keeps.
    public var name: String {
        switch self {
        case .verified: "verified"
        case .mismatch: "mismatch"
        case .unverifiable: "unverifiable"
        }
    }

    /// Why it cannot be known.
    public var reason: String? {
        if case .unverifiable(let reason) = self { reason } else { nil }
    }
}

/// Which instant a frame's timestamp marks.
public struct TimestampSource: RawRepresentable, Hashable, Sendable, Codable {
    /// The word; one that this release does not know is kept and shown as it came.
    public let rawValue: String

    /// Takes the first 64 characters of a word, which may be new to this release.
    public init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_SOE`, from a driver that can see that instant.
    public static let startOfExposure = TimestampSource(rawValue: "startOfExposure")
    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_EOF`.
    public static let endOfFrame = TimestampSource(rawValue: "endOfFrame")
    /// The arrival of the frame's first bytes: from a driver that knows no more, whatever it claims.
    public static let arrival = TimestampSource(rawValue: "arrival")
    /// The camera's own clock (UVC: PTS and SCR), whose configuration says what it stamps.
    public static let deviceClock = TimestampSource(rawValue: "deviceClock")
}

/// The instant at which an exposure began, for its first line.
public struct ExposureStart: Hashable, Sendable, Codable {
    /// The middle of the interval in which it may lie.
    public let time: MonotonicTime
    /// Half the width of the interval that is certain to hold it, in nanoseconds, before any clock conversion.
    public let uncertaintyNanoseconds: Int64
    /// Which instant the driver's timestamp marked.
    public let source: TimestampSource
    /// How much later the last line began, in nanoseconds; nil where the camera does not say.
    public let readoutNanoseconds: Int64?
    /// What was added to the driver's timestamp to correct a measured offset of the camera, in nanoseconds; nil where
    /// none was measured.
    public var correctionNanoseconds: Int64?
    /// Relative to other cameras; nil where no lamp has shown it.
    public var relative: RelativeUncertainty?

    /// A start and how well it is known.
    public init(
        time: MonotonicTime, uncertaintyNanoseconds: Int64, source: TimestampSource, readoutNanoseconds: Int64? = nil
    ) {
        self.time = time
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.source = source
        self.readoutNanoseconds = readoutNanoseconds
    }
}

/// The file of a delivered photo.
public struct PhotoFile: Hashable, Sendable, Codable {
    /// The size of the file.
    public let byteCount: Int
    /// Lower-case hexadecimal, of all bytes.
    public let sha256: String
    /// In pixels.
    public let dimensions: Dimensions
    /// The EXIF ImageUniqueID: 32 hexadecimal digits, different for each image.
    public let imageUniqueID: String

    /// What is known of a file once it is written.
    public init(byteCount: Int, sha256: String, dimensions: Dimensions, imageUniqueID: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        self.dimensions = dimensions
        self.imageUniqueID = imageUniqueID
    }
}

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
