package import CaptureModel
import Glibc

/// Turns a request into exposures for a camera; pure.
package enum ExposureResolver {
    /// One step, resolved.
    package struct Step: Hashable, Sendable {
        /// What the step asks for, as the photo's record states it.
        package let resolved: ResolvedExposure
        /// What to write for it; empty leaves the camera as it is.
        package let values: ControlValues
    }

    /// The exposures of a request, given the exposure that the camera has settled on.
    ///
    /// - Parameter shared: what to use instead, in every step, where cameras are to match.
    /// - Throws: ``CaptureSettingsError`` when a bias cannot be reached from there: the light is too bright or too
    ///   dark for the camera's ranges.
    package static func steps(
        of settings: some PhotoCaptureSettings, on camera: CameraCapabilities, settled: Exposure?,
        shared: ControlValues = ControlValues()
    ) throws(CaptureSettingsError) -> [Step] {
        try check(shared.exposure, camera)
        if let white = shared.whiteBalance, let objection = camera.objection(toWhiteBalance: white) { throw objection }
        let settled =
            shared.exposure == Exposure() ? settled : shared.over(ControlValues(settled ?? Exposure())).exposure
        guard let bracket = settings.bracket else {
            let resolved = ResolvedExposure(
                sequenceCount: 0, exposureTargetBias: nil, duration: settled?.duration, iso: settled?.iso)
            return [Step(resolved: resolved, values: ControlValues())]
        }
        var steps: [Step] = []
        for (index, element) in bracket.steps.enumerated() {
            let step = try step(element, number: index + 1, camera, settled)
            var common = shared
            common.whiteBalance = shared.whiteBalance.map { camera.whiteBalance.told($0) }
            // The driver's own unit knows whole numbers only.
            common.gain = shared.gain?.rounded()
            var resolved = step.resolved
            resolved.whiteBalance = resolved.whiteBalance ?? common.whiteBalance
            resolved.lensPosition = resolved.lensPosition ?? common.lensPosition
            resolved.gain = resolved.gain ?? shared.gain
            steps.append(Step(resolved: resolved, values: step.values.over(common)))
        }
        return steps
    }

    /// What other cameras meter may be out of this one's range.
    private static func check(_ shared: Exposure, _ camera: CameraCapabilities) throws(CaptureSettingsError) {
        if let duration = shared.duration {
            guard let range = camera.exposureDurationRange else {
                throw CaptureSettingsError(
                    .exposureDurationOutOfRange,
                    "\(camera.cameraID) cannot use the rig's exposure: its exposure time cannot be set.")
            }
            guard range.contains(duration) else {
                throw CaptureSettingsError(
                    .exposureDurationOutOfRange,
                    "\(camera.cameraID) cannot use the rig's exposure of \(duration); it takes \(range.lowerBound) to "
                        + "\(range.upperBound).")
            }
        }
        if let iso = shared.iso, !(camera.isoRange?.contains(iso) ?? false) {
            throw CaptureSettingsError(.isoOutOfRange, "\(camera.cameraID) cannot use the rig's ISO of \(iso).")
        }
    }

    private static func step(
        _ element: BracketedStillImageSettings, number: Int, _ camera: CameraCapabilities, _ settled: Exposure?
    ) throws(CaptureSettingsError) -> Step {
        var exposure = settled
        var bias: Double?
        switch element {
        case .burst, .focus, .whiteBalance:
            break
        case .manualExposure(let duration, let iso, let gain):
            exposure = Exposure(
                duration: duration.value ?? settled?.duration, iso: iso.value ?? settled?.iso,
                gain: gain.value ?? settled?.gain)
        case .autoExposure(let wanted):
            // The current bias is what the metered exposure already has.
            bias = wanted.value ?? 0
            exposure = try biased(settled, by: bias ?? 0, number: number, camera)
        }
        var resolved = ResolvedExposure(
            sequenceCount: number, exposureTargetBias: bias, duration: exposure?.duration, iso: exposure?.iso)
        // Only what the camera allows to be set is written; a step that varies something else holds the exposure.
        let canWrite = camera.exposureDurationRange != nil && exposure?.duration != nil
        var values = ControlValues(canWrite ? camera.nearest(to: exposure ?? Exposure()) : Exposure())
        if case .manualExposure(_, _, .value(let gain)) = element {
            // The driver's own unit knows whole numbers only.
            (resolved.gain, values.gain) = (gain, gain.rounded())
        }
        (resolved.lensPosition, values.lensPosition) = (element.lensPosition, element.lensPosition)
        resolved.whiteBalance = element.whiteBalance
        values.whiteBalance = element.whiteBalance.map { camera.whiteBalance.told($0) }
        return Step(resolved: resolved, values: values)
    }

    /// The settled exposure moved by a bias: through the duration as far as a frame allows, beyond that through the
    /// ISO, and where there is none through a longer frame.
    private static func biased(
        _ settled: Exposure?, by bias: Double, number: Int, _ camera: CameraCapabilities
    ) throws(CaptureSettingsError) -> Exposure {
        guard let duration = settled?.duration, let range = camera.exposureDurationRange else {
            throw CaptureSettingsError(
                .bracketUnsupported,
                "\(camera.cameraID) does not report what its automatic exposes with; use manual exposures.")
        }
        let factor = exp2(bias)
        let frame = ExposureDuration(nanoseconds: camera.frameDurationNanoseconds)
        let longest = camera.isoRange == nil ? range.upperBound : max(range.lowerBound, min(range.upperBound, frame))
        let wanted = ExposureDuration(seconds: duration.seconds * factor)
        let reached = min(max(wanted, range.lowerBound), longest)
        var exposure = Exposure(duration: reached, iso: settled?.iso, gain: settled?.gain)
        var missing = wanted.seconds / reached.seconds
        if let iso = settled?.iso, let isoRange = camera.isoRange {
            let moved = min(max(iso * missing, isoRange.lowerBound), isoRange.upperBound)
            missing /= moved / iso
            exposure.iso = moved
        }
        guard abs(log2(missing)) <= 0.05 else {
            throw CaptureSettingsError(
                .exposureTargetBiasOutOfRange,
                "Step \(number): in this light \(camera.cameraID) cannot reach a bias of \(bias) EV; it meters "
                    + "\(duration)\(settled?.iso.map { ", ISO \(Int($0))" } ?? "") and its range ends "
                    + "\((log2(missing) * 10).rounded() / 10) EV short of it.")
        }
        return exposure
    }
}

extension CameraCapabilities {
    /// The nearest exposure that the camera can be set to: a frame is judged by what was possible.
    fileprivate func nearest(to exposure: Exposure) -> Exposure {
        var nearest = exposure
        if let step = exposureDurationStep?.nanoseconds, let range = exposureDurationRange, step > 0 {
            nearest.duration = exposure.duration.map { wanted in
                let rounded = ExposureDuration(nanoseconds: (wanted.nanoseconds + step / 2) / step * step)
                return min(max(rounded, range.lowerBound), range.upperBound)
            }
        }
        if !isoValues.isEmpty {
            nearest.iso = exposure.iso.map { wanted in
                isoValues.min { abs($0 - wanted) < abs($1 - wanted) } ?? wanted
            }
        }
        return nearest
    }
}

extension WhiteBalanceCapability {
    /// A white balance in the camera's own terms: gains where it takes no temperature.
    fileprivate func told(_ wanted: WhiteBalance) -> WhiteBalance {
        guard case .temperatureAndTint(let white) = wanted, temperatureRange == nil else { return wanted }
        return .gains(WhiteBalanceGains(white.chromaticity))
    }
}
