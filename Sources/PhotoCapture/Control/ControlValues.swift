package import CaptureModel

/// A control of a camera whose effect shows in its frames.
package enum CameraControl: Hashable, Sendable, CaseIterable {
    case frameDuration, exposureDuration, gain, focus, whiteBalance
}

/// Values for a camera's controls; nil leaves a control as it is.
package struct ControlValues: Hashable, Sendable {
    /// From frame to frame, in nanoseconds.
    package var frameDuration: Int64?
    /// How long each line of a frame is exposed.
    package var exposureDuration: ExposureDuration?
    /// The sensitivity, where the gain is calibrated.
    package var iso: Double?
    /// The gain in the driver's own unit, where there is no ISO.
    package var gain: Double?
    /// 0 is the nearest and 1 the furthest that the lens can be set to.
    package var lensPosition: Double?
    /// As gains, or as temperature and tint: whichever the driver takes.
    package var whiteBalance: WhiteBalance?

    package init(_ exposure: Exposure = Exposure()) {
        exposureDuration = exposure.duration
        iso = exposure.iso
        gain = exposure.gain
    }

    /// Duration, ISO and gain on their own.
    package var exposure: Exposure { Exposure(duration: exposureDuration, iso: iso, gain: gain) }

    /// The controls that have a value.
    package var controls: [CameraControl] { CameraControl.allCases.filter { only($0) != ControlValues() } }

    /// The value of one control and nothing else.
    package func only(_ control: CameraControl) -> ControlValues {
        var part = ControlValues()
        switch control {
        case .frameDuration: part.frameDuration = frameDuration
        case .exposureDuration: part.exposureDuration = exposureDuration
        case .gain: (part.iso, part.gain) = (iso, gain)
        case .focus: part.lensPosition = lensPosition
        case .whiteBalance: part.whiteBalance = whiteBalance
        }
        return part
    }

    /// These values laid over others: where both have one, these win.
    package func over(_ other: ControlValues) -> ControlValues {
        var merged = other
        merged.frameDuration = frameDuration ?? other.frameDuration
        merged.exposureDuration = exposureDuration ?? other.exposureDuration
        merged.iso = iso ?? other.iso
        merged.gain = gain ?? other.gain
        merged.lensPosition = lensPosition ?? other.lensPosition
        merged.whiteBalance = whiteBalance ?? other.whiteBalance
        return merged
    }
}

extension ControlDelays {
    /// The delay of a control. Lens and white balance are not written ahead: see ``BracketMachine``.
    package subscript(_ control: CameraControl) -> Int {
        switch control {
        case .frameDuration: frameDuration
        case .exposureDuration: exposureDuration
        case .gain: gain
        case .focus, .whiteBalance: longest
        }
    }
}
