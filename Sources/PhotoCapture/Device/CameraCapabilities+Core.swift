import CaptureModel
import Glibc

/// What the core adds to a camera.
extension CameraCapabilities {
    /// Whether the core's own automatic can meter this camera.
    var isMeteredByCore: Bool { exposureDurationRange != nil && canMeter }

    /// What the camera can do with the core's help: it meters where the driver cannot.
    ///
    /// - Parameter profile: what was learned about it.
    package func extended(by profile: CameraProfile?) -> CameraCapabilities {
        var extended = self
        extended.controlDelays = profile?.delays ?? controlDelays
        if isMeteredByCore, let range = exposureDurationRange {
            // Half of its range: the metered exposure is somewhere within it.
            let times = log2(range.upperBound.seconds / range.lowerBound.seconds)
            let isos = isoRange.map { log2($0.upperBound / $0.lowerBound) } ?? 0
            let reach = min(8, ((times + isos) / 2).rounded(.down))
            extended.exposureTargetBiasRange = -reach...reach
        }
        return extended
    }
}
