/// The exposure of one step once it is known: what will be written to the camera.
package struct ResolvedExposure: Hashable, Sendable, Codable {
    /// 1 for the first step.
    package let sequenceCount: Int
    /// The bias in EV that led to the values, for a step of an automatic bracket.
    package let exposureTargetBias: Double?
    /// Nil where the camera's exposure is neither set nor known.
    package let duration: ExposureDuration?
    /// Nil where the camera has no ISO; a gain without unit is not one.
    package let iso: Double?
    /// The driver's own value where a step asks for one; it has no unit.
    package var gain: Double?
    /// For a step of a focus bracket: 0 nearest, 1 furthest.
    package var lensPosition: Double?
    /// For a step of a white balance bracket.
    package var whiteBalance: WhiteBalance?

    package init(sequenceCount: Int, exposureTargetBias: Double?, duration: ExposureDuration?, iso: Double?) {
        self.sequenceCount = sequenceCount
        self.exposureTargetBias = exposureTargetBias
        self.duration = duration
        self.iso = iso
    }
}

/// What a request became on this camera. Apple: `AVCaptureResolvedPhotoSettings`, which has no exposures.
package struct ResolvedPhotoSettings: Hashable, Sendable, Codable {
    package let uniqueID: UniqueID
    /// Zero by zero for a request of RAW alone.
    package let photoDimensions: Dimensions
    /// Zero by zero for a request without RAW.
    package let rawPhotoDimensions: Dimensions
    /// Of the preview that comes with each processed photo; nil without one.
    package var previewDimensions: Dimensions?
    /// Of the thumbnail in each processed photo's file; nil without one.
    package var embeddedThumbnailDimensions: Dimensions?
    /// How many photos the camera owes, failed ones included.
    package let expectedPhotoCount: Int
    /// One for each exposure, in order.
    package let exposures: [ResolvedExposure]

    package init(
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
