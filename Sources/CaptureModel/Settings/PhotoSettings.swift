import Synchronization

/// What every request for photos says, single or bracketed; a request is used once.
public protocol PhotoCaptureSettings: Sendable {
    /// What does not depend on the number of exposures.
    var photo: PhotoSettings { get }
    /// The bracket, or nil for a single photo.
    var bracket: Bracket? { get }
}

extension PhotoCaptureSettings {
    /// The identity of the request. A second capture with the same id is refused.
    public var uniqueID: UniqueID { photo.uniqueID }

    /// The files wanted for each exposure, in the order of delivery.
    public var formats: [PhotoFormat] { photo.formats }

    /// One exposure for a single photo, else the bracket's steps.
    public var exposureCount: Int { bracket?.count ?? 1 }

    /// How many times `didFinishProcessingPhoto` is owed: exposures times formats.
    public var expectedPhotoCount: Int { exposureCount * formats.count }
}

/// Apple: `AVCaptureDevice.FlashMode`. V4L2 cameras have none; it is here so that a request for one is refused.
public enum FlashMode: String, Hashable, Sendable, Codable {
    case off, on, auto
}

/// A request for one photo. Apple: `AVCapturePhotoSettings`.
public struct PhotoSettings: PhotoCaptureSettings {
    /// A request's identity, which its callbacks carry; used once.
    public let uniqueID: UniqueID
    /// The files wanted for each exposure, in the order of delivery.
    public let formats: [PhotoFormat]
    /// Whether quality or speed counts for more.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// A picture larger than the stream's, from those that the camera offers; nil for the stream's own.
    public var maxPhotoDimensions: Dimensions?
    /// A small picture for a viewer, delivered with the photo and fitted into these dimensions.
    public var previewPhotoDimensions: Dimensions?
    /// A small JPEG inside a JPEG's file, fitted into these dimensions; a DNG always has a preview.
    public var embeddedThumbnailPhotoDimensions: Dimensions?
    /// Anything but `off` is refused.
    public var flashMode = FlashMode.off
    /// The file for a live photo's movie; refused, as no V4L2 camera makes one.
    public var livePhotoMovieFile: String?
    /// Whether the lens is held still by its stabiliser, where the camera has one.
    public var isLensStabilizationEnabled = false
    /// Whether a picture is compared with others to prove its exposure, where the camera does not report it; to be
    /// turned off where a strobe or a lamp changes the light.
    public var isExposureVerificationEnabled = true
    /// What the files say of the capture.
    package var tags = PhotoTags()

    /// These settings.
    public var photo: PhotoSettings { self }
    /// None.
    public var bracket: Bracket? { nil }

    /// Takes the next id of this process where none is given.
    public init(uniqueID: UniqueID? = nil, formats: [PhotoFormat] = [.jpeg]) {
        self.uniqueID = uniqueID ?? ProcessUniqueIDs.next()
        self.formats = formats
    }

    /// The same settings under a new id, since each is used once. Apple: `init(from:)`.
    public init(from other: PhotoSettings) {
        self.init(formats: other.formats)
        photoQualityPrioritization = other.photoQualityPrioritization
        maxPhotoDimensions = other.maxPhotoDimensions
        previewPhotoDimensions = other.previewPhotoDimensions
        embeddedThumbnailPhotoDimensions = other.embeddedThumbnailPhotoDimensions
        flashMode = other.flashMode
        livePhotoMovieFile = other.livePhotoMovieFile
        isLensStabilizationEnabled = other.isLensStabilizationEnabled
        isExposureVerificationEnabled = other.isExposureVerificationEnabled
        tags = other.tags
    }
}

/// The ids of this process: 1, 2, 3..., as Apple hands them out. A rig's ids come from its coordinator instead.
private enum ProcessUniqueIDs {
    private static let allocator = Mutex(UniqueIDAllocator())

    static func next() -> UniqueID {
        allocator.withLock { $0.next(at: 0) }
    }
}
