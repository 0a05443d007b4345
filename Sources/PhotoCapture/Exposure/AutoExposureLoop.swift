package import CaptureModel
import Glibc

/// An automatic exposure: meters each frame and moves the exposure towards a target; pure.
///
/// It works in EV, takes half of the remaining error each time a new exposure has had time to land, and prefers
/// time over gain, so that a bracket has room above.
package struct AutoExposureLoop: Sendable {
    /// Mean linear brightness that it aims at, as a share of saturation: the 18 % of a grey card.
    package static let target = 0.18
    /// Settled when within this many EV of the target.
    package static let tolerance = 0.05

    package private(set) var exposure: Exposure
    package private(set) var isSettled = false
    private let durations: ClosedRange<ExposureDuration>
    private let isos: ClosedRange<Double>?
    private let controlDelay: Int
    private var framesUntilMetering: Int

    /// - Parameters:
    ///   - preferred: the times to use before the ISO is raised.
    ///   - isos: nil where there is no calibrated gain.
    package init(preferred: ClosedRange<ExposureDuration>, isos: ClosedRange<Double>?, controlDelay: Int) {
        durations = preferred
        self.isos = isos
        self.controlDelay = controlDelay
        framesUntilMetering = 0
        exposure = Exposure(
            duration: ExposureDuration(
                nanoseconds: min(max(preferred.lowerBound.nanoseconds, 10_000_000), preferred.upperBound.nanoseconds)),
            iso: isos?.lowerBound)
    }

    /// A frame came with this mean brightness, as a share of saturation.
    ///
    /// - Returns: the exposure to write now, or nil for none.
    package mutating func frame(meanBrightness: Double) -> Exposure? {
        guard framesUntilMetering == 0 else {
            framesUntilMetering -= 1
            return nil
        }
        let error = log2(Self.target / max(meanBrightness, 1e-4))
        let next = moved(by: abs(error) < 0.2 ? error : error / 2)
        isSettled = abs(error) <= Self.tolerance || next == exposure
        guard !isSettled else { return nil }
        exposure = next
        // Frames on the way still have the old exposure; to meter them would overshoot.
        framesUntilMetering = controlDelay
        return next
    }

    private func moved(by stops: Double) -> Exposure {
        var light = (exposure.duration?.seconds ?? 0) * (exposure.iso ?? 1) * exp2(stops)
        let lowest = isos?.lowerBound ?? 1
        let time = ExposureDuration(seconds: light / lowest)
        let duration = min(max(time, durations.lowerBound), durations.upperBound)
        light /= duration.seconds
        return Exposure(duration: duration, iso: isos.map { min(max(light, $0.lowerBound), $0.upperBound) })
    }
}
