public import CaptureModel
import PhotoEncoding

/// A request that was checked and resolved, ready to fire.
public struct PreparedCapture: Sendable {
    /// The request itself.
    public let settings: any PhotoCaptureSettings
    /// What the request became on this camera.
    public let resolvedSettings: ResolvedPhotoSettings
    /// How soon its first exposure can begin, and how long each step takes.
    package let timing: CaptureTiming
    let steps: [ExposureResolver.Step]
    let capabilities: CameraCapabilities
    let profile: CameraProfile?
    /// After how many frames what is written for a step is in force.
    let delays: ControlDelays
    /// Whether steps may be written while others are still to be exposed: not where a lens would be seen moving, nor
    /// where it is unknown when they act.
    let isPipelined: Bool

    /// The delay assumed for a camera that is not known yet; too much costs frames, too little costs the step.
    static let unknownDelays = ControlDelays(8)
    /// How long a lens is given to get from one place to another, in nanoseconds; V4L2 does not say when it is there.
    private static let lensTravel: Int64 = 300_000_000

    /// Of the request.
    public var uniqueID: UniqueID { settings.uniqueID }

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
        resolved.formats = settings.formats
        let size = capabilities.dimensions
        // One pixel of a RAW photo's preview takes four samples.
        let largest = hasProcessed ? size : Dimensions(width: max(1, size.width / 2), height: max(1, size.height / 2))
        resolved.previewDimensions = settings.photo.previewPhotoDimensions.map {
            SmallPicture.fitted(largest, into: $0)
        }
        resolved.embeddedThumbnailDimensions = settings.photo.embeddedThumbnailPhotoDimensions.flatMap {
            settings.formats.contains(.jpeg) ? SmallPicture.fitted(size, into: $0) : nil
        }
        resolvedSettings = resolved
        let frame = max(1, capabilities.frameDurationNanoseconds)
        isPipelined =
            capabilities.controlDelays != nil
            && steps.allSatisfy { $0.values.lensPosition == nil }
            && Set(steps.map(\.values.whiteBalance)).count <= 1
        var delays = capabilities.controlDelays ?? Self.unknownDelays
        if steps.contains(where: { $0.values.lensPosition != nil }) {
            delays = ControlDelays(delays.longest + Int((Self.lensTravel + frame - 1) / frame))
        }
        self.delays = delays
        // One more frame than the controls need: an order may come just after a frame.
        let waiting = isPipelined ? 0 : Int64(delays.longest - 1) * frame
        timing = CaptureTiming(
            leadNanoseconds: Int64(delays.longest + 1) * frame,
            stepNanoseconds: steps.map { max(frame, $0.values.exposureDuration?.nanoseconds ?? 0) + waiting },
            frameDurationNanoseconds: frame)
    }
}
