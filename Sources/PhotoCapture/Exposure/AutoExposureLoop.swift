package import CaptureModel
import Glibc

/// An automatic exposure: meters frames and moves the exposure towards a target; pure.
///
/// It knows what each metered frame was exposed with, so one step reaches the target unless the picture clips; and it
/// prefers time to ISO, so that a bracket has room above.
package struct AutoExposureLoop: Sendable {
    /// Mean linear brightness that it aims at, as a share of saturation: the 18 % of a grey card.
    package static let target = 0.18
    /// Settled when within this many EV of the target.
    package static let tolerance = 0.08
    /// Once settled, it stays so within this many EV: a picture that breathes is worse than one that is a little off.
    package static let hysteresis = 0.25

    /// The exposure that it wants now.
    package private(set) var exposure: Exposure
    /// Whether the brightness is near enough to the target, or the range allows nothing nearer.
    package private(set) var isSettled = false
    /// Metered brightness above the target, in EV. Apple: `exposureTargetOffset`.
    package private(set) var targetOffset = 0.0
    /// Moves the target, in EV; after any change, however small, it is aimed at anew.
    package var targetBias = 0.0 {
        didSet { isSettled = isSettled && targetBias == oldValue }
    }
    private let durations: ClosedRange<ExposureDuration>
    private let isos: ClosedRange<Double>?

    /// - Parameters:
    ///   - durations: the times to use before the ISO is raised.
    ///   - isos: nil where there is no calibrated gain.
    package init(durations: ClosedRange<ExposureDuration>, isos: ClosedRange<Double>?, from start: Exposure) {
        self.durations = durations
        self.isos = isos
        exposure = Exposure(
            duration: start.duration.map { min(max($0, durations.lowerBound), durations.upperBound) }
                ?? durations.lowerBound, iso: start.iso ?? isos?.lowerBound, gain: start.gain)
    }

    /// A frame was metered; leave out those on which a written exposure is still to land.
    ///
    /// - Parameter brightness: linear, as a share of saturation.
    /// - Returns: the exposure to write now, or nil for none.
    package mutating func frame(brightness: Double) -> Exposure? {
        targetOffset = Self.targetOffset(brightness: brightness, bias: targetBias)
        let error = -targetOffset
        guard abs(error) > (isSettled ? Self.hysteresis : Self.tolerance) else {
            isSettled = true
            return nil
        }
        let next = moved(by: error)
        // At the end of its range, it can do no more.
        isSettled = next == exposure
        guard !isSettled else { return nil }
        exposure = next
        return next
    }

    /// How far a metered brightness is above the target, in EV.
    static func targetOffset(brightness: Double, bias: Double) -> Double {
        log2(max(brightness, 1e-4) / (target * exp2(bias)))
    }

    private func moved(by stops: Double) -> Exposure {
        var light = (exposure.duration?.seconds ?? 0) * (exposure.iso ?? 1) * exp2(stops)
        let lowest = isos?.lowerBound ?? 1
        let time = ExposureDuration(seconds: min(light / lowest, 3600))
        let duration = min(max(time, durations.lowerBound), durations.upperBound)
        light /= duration.seconds
        return Exposure(
            duration: duration, iso: isos.map { min(max(light, $0.lowerBound), $0.upperBound) }, gain: exposure.gain)
    }
}
