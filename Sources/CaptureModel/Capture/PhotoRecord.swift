/// An exposure in the units of a camera.
public struct Exposure: Hashable, Sendable, Codable {
    /// Nil where it is not known.
    public var duration: ExposureDuration?
    /// Only where the camera's sensitivity is calibrated.
    public var iso: Double?
    /// The driver's own gain value where it has no ISO; it has no unit.
    public var gain: Double?

    /// What is left out is not known.
    public init(duration: ExposureDuration? = nil, iso: Double? = nil, gain: Double? = nil) {
        self.duration = duration
        self.iso = iso
        self.gain = gain
    }
}

/// Whether a photo's exposure is known to be the one that was asked for.
public enum Verification: Hashable, Sendable, Codable {
    case verified
    /// The frame carries another exposure; the photo is an error.
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

/// What a frame's stamp tells of.
public struct TimestampSource: RawRepresentable, Hashable, Sendable, Codable {
    /// The word: one that this program does not know is kept and shown as it came.
    public let rawValue: String

    /// A word that may be new to this program.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_SOE`, of a driver that sees it.
    public static let startOfExposure = TimestampSource(rawValue: "startOfExposure")
    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_EOF`.
    public static let endOfFrame = TimestampSource(rawValue: "endOfFrame")
    /// The first bytes of the frame arrived: a driver that knows no more, whatever it says.
    public static let arrival = TimestampSource(rawValue: "arrival")
    /// The camera's own clock (UVC: PTS and SCR), of which its configuration says what it stamps.
    public static let deviceClock = TimestampSource(rawValue: "deviceClock")
}

/// The instant at which an exposure began, that of the first line.
public struct ExposureStart: Hashable, Sendable, Codable {
    /// The middle of where it may lie.
    public let time: MonotonicTime
    /// Half the width of the interval that surely holds it, in nanoseconds, before any clock is converted.
    public let uncertaintyNanoseconds: Int64
    /// What the driver's stamp told of.
    public let source: TimestampSource
    /// By how much later the last line began, in nanoseconds; nil where the camera does not tell.
    public let readoutNanoseconds: Int64?
    /// What was added to the driver's stamp, as somebody measured that the camera's are off, in nanoseconds; nil where
    /// nobody did.
    public var correctionNanoseconds: Int64?
    /// Against other cameras; nil where no lamp has shown it.
    public var relative: RelativeUncertainty?

    /// A start, and what is not known of it.
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
    /// Of the file.
    public let byteCount: Int
    /// Lower-case hexadecimal, of all bytes.
    public let sha256: String
    /// In pixels.
    public let dimensions: Dimensions
    /// The EXIF ImageUniqueID: 32 hexadecimal digits, another one for each image.
    public let imageUniqueID: String

    /// What is known of a file once it is written.
    public init(byteCount: Int, sha256: String, dimensions: Dimensions, imageUniqueID: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        self.dimensions = dimensions
        self.imageUniqueID = imageUniqueID
    }
}

/// Everything that is known of one photo but its bytes; a photo with an error has neither file nor time.
public struct PhotoRecord: Hashable, Sendable, Codable {
    /// 1...expectedPhotoCount, in the order of delivery.
    public let photoCount: Int
    /// The exposure that it comes from; 0 outside a bracket, as Apple has it.
    public let sequenceCount: Int
    /// The kind of file.
    public let format: PhotoFormat
    /// What was asked for, resolved for this camera.
    public let requested: ResolvedExposure
    /// What was written to the camera.
    public var applied: Exposure?
    /// The lens position and the white balance that the driver took for it; nil where it was told none.
    public var appliedLensPosition: Double?
    /// What was in force on the frame, where it is known.
    public var appliedWhiteBalance: WhiteBalance?
    /// What the frame says that it was exposed with.
    public var verified: Exposure?
    /// Whether the frame was proved to be exposed as asked; nil for a failed photo.
    public var verification: Verification?
    /// The fingerprint of the camera's profile that it was judged by; nil where nothing was learned of it.
    public var profile: String?
    /// The mean linear brightness of the picture, as a share of saturation; nil where the format does not show it.
    public var brightness: Double?
    /// The driver's number of the frame.
    public var frameSequence: UInt32?
    /// When the exposure began, with its uncertainty; nil for a failed photo.
    public var exposureStart: ExposureStart?
    /// ``exposureStart`` in rig time, with the clock's bound added to its uncertainty.
    public var exposureStartRigTime: RigTime?
    /// With the clock's own; nil outside a rig.
    public var exposureStartUncertaintyNanoseconds: Int64?
    /// What told that; nil outside a rig.
    public var exposureStartSource: TimestampSource?
    /// Against other cameras that saw one lamp, with the clock's bound as well; nil where none has shown it.
    public var exposureStartRelative: RelativeUncertainty?
    /// The file; nil for a photo that failed.
    public var file: PhotoFile?
    /// Why there is no photo; nil where there is one.
    public var error: CaptureError?

    /// A record with nothing but what was asked for.
    public init(photoCount: Int, sequenceCount: Int, format: PhotoFormat, requested: ResolvedExposure) {
        self.photoCount = photoCount
        self.sequenceCount = sequenceCount
        self.format = format
        self.requested = requested
    }
}
