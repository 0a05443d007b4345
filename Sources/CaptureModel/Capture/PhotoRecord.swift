/// An exposure in the units of a camera.
package struct Exposure: Hashable, Sendable, Codable {
    package var duration: ExposureDuration?
    /// Only where the camera's sensitivity is calibrated.
    package var iso: Double?
    /// The driver's own gain value where it has no ISO; it has no unit.
    package var gain: Double?

    package init(duration: ExposureDuration? = nil, iso: Double? = nil, gain: Double? = nil) {
        self.duration = duration
        self.iso = iso
        self.gain = gain
    }
}

/// Whether a photo's exposure is known to be the one that was asked for.
package enum Verification: Hashable, Sendable, Codable {
    case verified
    /// The frame carries another exposure; the photo is an error.
    case mismatch
    /// It cannot be known; the reason is a sentence.
    case unverifiable(reason: String)

    /// The word that the catalogue keeps.
    package var name: String {
        switch self {
        case .verified: "verified"
        case .mismatch: "mismatch"
        case .unverifiable: "unverifiable"
        }
    }

    /// Why it cannot be known.
    package var reason: String? {
        if case .unverifiable(let reason) = self { reason } else { nil }
    }
}

/// What a frame's stamp tells of.
package enum TimestampSource: String, Hashable, Sendable, Codable {
    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_SOE`, of a driver that sees it.
    case startOfExposure
    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_EOF`.
    case endOfFrame
    /// The first bytes of the frame arrived: a driver that knows no more, whatever it says.
    case arrival
}

/// The instant at which an exposure began, that of the first line.
package struct ExposureStart: Hashable, Sendable, Codable {
    package let time: MonotonicTime
    /// Half the width of the interval that surely holds it, in nanoseconds, before any clock is converted.
    package let uncertaintyNanoseconds: Int64
    package let source: TimestampSource
    /// By how much later the last line began, in nanoseconds; nil where the camera does not tell.
    package let readoutNanoseconds: Int64?
    /// What was added to the driver's stamp, as somebody measured that the camera's are off, in nanoseconds; nil where
    /// nobody did.
    package var correctionNanoseconds: Int64?

    package init(
        time: MonotonicTime, uncertaintyNanoseconds: Int64, source: TimestampSource, readoutNanoseconds: Int64? = nil
    ) {
        self.time = time
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.source = source
        self.readoutNanoseconds = readoutNanoseconds
    }
}

/// The file of a delivered photo.
package struct PhotoFile: Hashable, Sendable, Codable {
    package let byteCount: Int
    /// Lower-case hexadecimal, of all bytes.
    package let sha256: String
    package let dimensions: Dimensions
    /// The EXIF ImageUniqueID: 32 hexadecimal digits, another one for each image.
    package let imageUniqueID: String

    package init(byteCount: Int, sha256: String, dimensions: Dimensions, imageUniqueID: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        self.dimensions = dimensions
        self.imageUniqueID = imageUniqueID
    }
}

/// Everything that is known of one photo but its bytes; a photo with an error has neither file nor time.
package struct PhotoRecord: Hashable, Sendable, Codable {
    /// 1...expectedPhotoCount, in the order of delivery.
    package let photoCount: Int
    /// The exposure that it comes from; 0 outside a bracket, as Apple has it.
    package let sequenceCount: Int
    package let format: PhotoFormat
    package let requested: ResolvedExposure
    /// What was written to the camera.
    package var applied: Exposure?
    /// The lens position and the white balance that the driver took for it; nil where it was told none.
    package var appliedLensPosition: Double?
    package var appliedWhiteBalance: WhiteBalance?
    /// What the frame says that it was exposed with.
    package var verified: Exposure?
    package var verification: Verification?
    /// The fingerprint of the camera's profile that it was judged by; nil where nothing was learned of it.
    package var profile: String?
    /// The mean linear brightness of the picture, as a share of saturation; nil where the format does not show it.
    package var brightness: Double?
    /// The driver's number of the frame.
    package var frameSequence: UInt32?
    package var exposureStart: ExposureStart?
    /// ``exposureStart`` in rig time, with the clock's bound added to its uncertainty.
    package var exposureStartRigTime: RigTime?
    package var exposureStartUncertaintyNanoseconds: Int64?
    package var file: PhotoFile?
    package var error: CaptureError?

    package init(photoCount: Int, sequenceCount: Int, format: PhotoFormat, requested: ResolvedExposure) {
        self.photoCount = photoCount
        self.sequenceCount = sequenceCount
        self.format = format
        self.requested = requested
    }
}
