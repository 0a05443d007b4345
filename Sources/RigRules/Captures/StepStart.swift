import CaptureModel

/// When an exposure began, and how well that is known.
struct StepStart {
    let time: RigTime
    let known: StartUncertainty

    /// - Returns: nil for a photo that does not say.
    init?(_ photo: PhotoRecord) {
        guard let time = photo.exposureStartRigTime, let known = photo.exposureStartKnown else { return nil }
        (self.time, self.known) = (time, known)
    }
}
