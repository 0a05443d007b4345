/// The exposure of one step once it is known: what will be written to the camera.
public struct ResolvedExposure: Hashable, Sendable, Codable {
    /// 1 for the first step.
    public let sequenceCount: Int
    /// The bias in EV that led to the values, for a step of an automatic bracket.
    public let exposureTargetBias: Double?
    /// Nil where the camera's exposure is neither set nor known.
    public let duration: ExposureDuration?
    /// Nil where the camera has no ISO; a gain without unit is not one.
    public let iso: Double?
    /// The driver's own value where a step asks for one; it has no unit.
    public var gain: Double?
    /// For a step of a focus bracket: 0 nearest, 1 furthest.
    public var lensPosition: Double?
    /// For a step of a white balance bracket.
    public var whiteBalance: WhiteBalance?

    /// What a step of a bracket became.
    public init(sequenceCount: Int, exposureTargetBias: Double?, duration: ExposureDuration?, iso: Double?) {
        self.sequenceCount = sequenceCount
        self.exposureTargetBias = exposureTargetBias
        self.duration = duration
        self.iso = iso
    }
}

/// What a request became on this camera. Apple: `AVCaptureResolvedPhotoSettings`, which has no exposures.
public struct ResolvedPhotoSettings: Hashable, Sendable, Codable {
    /// The id of the request.
    public let uniqueID: UniqueID
    /// Zero by zero for a request of RAW alone.
    public let photoDimensions: Dimensions
    /// Zero by zero for a request without RAW.
    public let rawPhotoDimensions: Dimensions
    /// The files of each exposure, in the order of delivery; nil in a record that an older node kept.
    public var formats: [PhotoFormat]?
    /// Of the preview that comes with each processed photo, or with each RAW photo where nothing is processed; nil
    /// without one.
    public var previewDimensions: Dimensions?
    /// Of the thumbnail in each JPEG's file; nil without one.
    public var embeddedThumbnailDimensions: Dimensions?
    /// How many photos the camera owes, failed ones included.
    public let expectedPhotoCount: Int
    /// One for each exposure, in order.
    public let exposures: [ResolvedExposure]

    /// What a request became.
    public init(
        uniqueID: UniqueID, photoDimensions: Dimensions, rawPhotoDimensions: Dimensions, expectedPhotoCount: Int,
        exposures: [ResolvedExposure]
    ) {
        self.uniqueID = uniqueID
        self.photoDimensions = photoDimensions
        self.rawPhotoDimensions = rawPhotoDimensions
        self.expectedPhotoCount = expectedPhotoCount
        self.exposures = exposures
    }
}
