package import CaptureModel
import PhotoEncoding

/// A request that was checked and resolved, ready to fire.
package struct PreparedCapture: Sendable {
    /// The request itself.
    package let settings: any PhotoCaptureSettings
    package let resolvedSettings: ResolvedPhotoSettings
    package let timing: CaptureTiming
    let steps: [ExposureResolver.Step]
    let capabilities: CameraCapabilities
    let profile: CameraProfile?

    package var uniqueID: UniqueID { settings.uniqueID }

    init(
        settings: any PhotoCaptureSettings, steps: [ExposureResolver.Step], capabilities: CameraCapabilities,
        profile: CameraProfile?
    ) {
        self.profile = profile
        self.settings = settings
        self.steps = steps
        self.capabilities = capabilities
        let hasProcessed = settings.formats.contains { !$0.isRaw }
        let hasRaw = settings.formats.contains { $0.isRaw }
        var resolved = ResolvedPhotoSettings(
            uniqueID: settings.uniqueID, photoDimensions: hasProcessed ? capabilities.dimensions : .zero,
            rawPhotoDimensions: hasRaw ? capabilities.dimensions : .zero,
            expectedPhotoCount: settings.expectedPhotoCount, exposures: steps.map(\.resolved))
        func fitted(_ box: Dimensions?) -> Dimensions? {
            hasProcessed ? box.map { SmallPicture.fitted(capabilities.dimensions, into: $0) } : nil
        }
        resolved.previewDimensions = fitted(settings.photo.previewPhotoDimensions)
        resolved.embeddedThumbnailDimensions = fitted(settings.photo.embeddedThumbnailPhotoDimensions)
        resolvedSettings = resolved
        let frame = capabilities.frameDurationNanoseconds
        let delays = capabilities.controlDelays ?? ControlDelays(1)
        // One more frame than the controls need: an order may come just after a frame.
        timing = CaptureTiming(
            leadNanoseconds: Int64(delays.longest + 1) * frame,
            spanNanoseconds: steps.reduce(0) { $0 + max(frame, $1.values.exposureDuration?.nanoseconds ?? 0) })
    }
}
