import CaptureModel
import PhotoCapture

/// The controls of a simulated camera: what is in force on which frame, and its automatic; pure.
struct SimulatedDriver: Sendable {
    static let isos: ClosedRange<Double> = 100...1600

    private let configuration: SimulatedCameraConfiguration
    private var automatic: AutoExposureLoop
    private var isAutomatic = true
    private var inForce: Exposure
    private var pending: [(frame: UInt32, exposure: Exposure)] = []
    private var nextFrame: UInt32 = 0

    init(_ configuration: SimulatedCameraConfiguration) {
        self.configuration = configuration
        let range = configuration.exposureDurations
        // The automatic leaves two stops of time above, before a bracket must raise the ISO.
        let preferred = range.lowerBound...ExposureDuration(nanoseconds: range.upperBound.nanoseconds / 4)
        automatic = AutoExposureLoop(
            preferred: preferred, isos: Self.isos, controlDelay: configuration.controlDelay)
        inForce = automatic.exposure
    }

    /// Takes controls after the frame that arrived last; in force `controlDelay` frames after it.
    mutating func write(_ mode: ExposureMode) -> Exposure {
        switch mode {
        case .continuousAutoExposure:
            isAutomatic = true
            return land(automatic.exposure)
        case .custom(let wanted):
            isAutomatic = false
            let range = configuration.exposureDurations
            return land(
                Exposure(
                    duration: min(
                        max(wanted.duration ?? inForce.duration ?? range.lowerBound, range.lowerBound),
                        range.upperBound),
                    iso: min(max(wanted.iso ?? inForce.iso ?? 100, Self.isos.lowerBound), Self.isos.upperBound)))
        }
    }

    private mutating func land(_ exposure: Exposure) -> Exposure {
        // The last arrived frame is nextFrame - 1.
        pending.append((nextFrame &+ UInt32(configuration.controlDelay) &- 1, exposure))
        return exposure
    }

    /// The exposure that the automatic has settled on, or that was set; nil while it adjusts.
    var settledExposure: Exposure? {
        guard isAutomatic else { return pending.last?.exposure ?? inForce }
        return automatic.isSettled && pending.isEmpty ? automatic.exposure : nil
    }

    /// Exposes a frame, and meters it.
    mutating func expose(_ number: UInt32, meter: (Exposure) -> Double) -> Exposure {
        while let first = pending.first, first.frame <= number {
            inForce = first.exposure
            pending.removeFirst()
        }
        nextFrame = number &+ 1
        var exposure = inForce
        if configuration.faults[number] == .wrongExposure, let duration = exposure.duration {
            exposure.duration = ExposureDuration(nanoseconds: duration.nanoseconds * 2)
        }
        if isAutomatic, let next = automatic.frame(meanBrightness: meter(exposure)) { _ = land(next) }
        return exposure
    }
}
