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
