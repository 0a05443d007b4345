/// What a photo output offers, for requests to be checked against.
package struct PhotoOutputCapabilities: Hashable, Sendable {
    /// The camera that takes the photos, in its active format.
    package var camera: CameraCapabilities
    /// The highest that the output's owner wants it to be prepared for.
    package var maxPhotoQualityPrioritization: PhotoQualityPrioritization
    /// The stream's dimensions and the larger ones that the camera can be switched to.
    package var supportedMaxPhotoDimensions: [Dimensions]

    /// What an output with this camera can do.
    package init(
        camera: CameraCapabilities, maxPhotoQualityPrioritization: PhotoQualityPrioritization = .quality,
        supportedMaxPhotoDimensions: [Dimensions] = []
    ) {
        self.camera = camera
        self.maxPhotoQualityPrioritization = maxPhotoQualityPrioritization
        self.supportedMaxPhotoDimensions = supportedMaxPhotoDimensions
    }

    /// Everything in a request that cannot be done; empty when all can.
    package func violations(_ settings: some PhotoCaptureSettings) -> [CaptureSettingsError] {
        let photo = settings.photo
        var found = camera.violations(bracket: settings.bracket, formats: photo.formats)
        if photo.flashMode != .off {
            let reason =
                settings.bracket == nil ? camera.cameraID + " has no flash" : "a bracket is taken without flash"
            found.append(CaptureSettingsError(.flashUnsupported, "Flash was requested, but \(reason); set it to off."))
        }
        if photo.livePhotoMovieFile != nil {
            let reason = settings.bracket == nil ? "no V4L2 camera makes one" : "a bracket has none"
            found.append(CaptureSettingsError(.livePhotoUnsupported, "A live photo was requested, but \(reason)."))
        }
        if photo.photoQualityPrioritization > maxPhotoQualityPrioritization {
            found.append(
                CaptureSettingsError(
                    .qualityPrioritizationTooHigh,
                    "photoQualityPrioritization must not be higher than the output's maxPhotoQualityPrioritization."))
        }
        if let wanted = photo.maxPhotoDimensions, !supportedMaxPhotoDimensions.contains(wanted) {
            let offered = supportedMaxPhotoDimensions.map(\.description).joined(separator: ", ")
            found.append(
                CaptureSettingsError(
                    .photoDimensionsUnavailable,
                    "\(camera.cameraID) takes no photos of \(wanted); it offers \(offered)."))
        }
        if photo.isLensStabilizationEnabled, !camera.hasLensStabilization {
            found.append(
                CaptureSettingsError(.lensStabilizationUnsupported, "\(camera.cameraID) has no lens stabilisation."))
        }
        found += smallPictureViolations(photo.previewPhotoDimensions, "preview", 16...1920)
        // It shares 64 KiB with the other metadata.
        found += smallPictureViolations(photo.embeddedThumbnailPhotoDimensions, "thumbnail", 16...320)
        return found
    }

    private func smallPictureViolations(
        _ size: Dimensions?, _ name: String, _ range: ClosedRange<Int>
    ) -> [CaptureSettingsError] {
        guard let size, !range.contains(size.width) || !range.contains(size.height) else { return [] }
        return [
            CaptureSettingsError(
                .photoDimensionsUnavailable,
                "A \(name) is \(range.lowerBound) to \(range.upperBound) pixels each way, not \(size).")
        ]
    }
}
