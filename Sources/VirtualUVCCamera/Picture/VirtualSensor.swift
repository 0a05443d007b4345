import CaptureModel
import Glibc
import PhotoCapture

/// The sensor behind the camera's controls: which values are in force on which frame, and its automatic controls; pure.
///
/// A sensor latches its registers between two frames. What is written while a frame is being exposed is in force on the
/// next one, or as many frames later as the camera's delay says.
struct VirtualSensor: Sendable {
    /// A frame that is being exposed.
    struct Frame: Hashable, Sendable {
        let number: UInt32
        let exposure: ExposureDuration
        let gain: UInt16
        /// What the gain multiplies the light by.
        let factor: Double
        let kelvin: Double
        /// From its start to the start of the next one, in nanoseconds.
        let length: Int64

        /// The values with which the simulated sensor draws it.
        var values: ControlValues {
            var values = ControlValues(Exposure(duration: exposure, iso: 100 * factor))
            values.whiteBalance = .temperatureAndTint(TemperatureAndTint(temperature: kelvin))
            return values
        }
    }

    private struct Landing {
        let frame: UInt32
        let control: Control
        let value: Int64
    }

    private let camera: VirtualCameraConfiguration
    private var inForce: [Control: Int64]
    private var landings: [Landing] = []
    private var automatic: AutoExposureLoop
    private var exposureCount = 0
    /// A gain that waits for an exposure to be written.
    private var latched: Int64?
    private(set) var nextFrame: UInt32 = 0

    init(_ camera: VirtualCameraConfiguration, _ values: [Control: Int64]) {
        self.camera = camera
        inForce = values
        automatic = AutoExposureLoop(
            durations: Self.duration(1)...Self.duration(300), isos: nil, from: Exposure(duration: Self.duration(100)))
    }

    /// Notes that a control was written now.
    mutating func wrote(_ control: Control, _ value: Int64) {
        switch control {
        case .exposureTimeAbsolute:
            exposureCount += 1
            let ignored = camera.character.ignoredExposures
            if ignored == 0 || !exposureCount.isMultiple(of: ignored) {
                land(control, made(value), camera.exposureDelay)
            }
            if let gain = latched.take() { land(.gain, gain, camera.exposureDelay) }
        case .gain where camera.character.latchesGain: latched = value
        case .gain: land(control, value, camera.gainDelay)
        case .autoExposureMode, .autoExposurePriority, .focusAbsolute, .focusAuto, .brightness,
            .whiteBalanceTemperature, .whiteBalanceTemperatureAuto:
            land(control, value, 0)
        }
    }

    /// The exposure that it makes of one that was written, in its units.
    private func made(_ value: Int64) -> Int64 {
        let step = camera.character.exposureStep
        return max(step, min(value, camera.character.exposureLimit) / step * step)
    }

    private mutating func land(_ control: Control, _ value: Int64, _ delay: Int) {
        landings.append(Landing(frame: nextFrame &+ UInt32(delay), control: control, value: value))
    }

    /// Begins the next frame.
    mutating func begin(_ mode: VideoMode) -> Frame {
        for landing in landings where landing.frame <= nextFrame { inForce[landing.control] = landing.value }
        landings.removeAll { $0.frame <= nextFrame }
        defer { nextFrame &+= 1 }
        let isManual = inForce[.autoExposureMode] == 1 && !camera.character.keepsMetering
        var exposure =
            isManual
            ? Self.duration(inForce[.exposureTimeAbsolute] ?? 1, camera.character.exposureUnit)
            : automatic.exposure.duration ?? Self.duration(1)
        // Without the priority control the frame rate is kept and the exposure cut short, as many cameras do.
        let mayStretch = isManual && inForce[.autoExposurePriority] == 1
        if !mayStretch { exposure = min(exposure, ExposureDuration(nanoseconds: mode.frameDuration)) }
        let gain = UInt16(clamping: inForce[.gain] ?? 0)
        return Frame(
            number: nextFrame, exposure: exposure, gain: gain,
            factor: camera.character.gainLaw.factor(Double(gain)),
            kelvin: Double(inForce[.whiteBalanceTemperature] ?? 4600),
            length: max(mode.frameDuration, exposure.nanoseconds))
    }

    /// Lets the automatic exposure see a frame that was read out.
    ///
    /// - Returns: the controls that it changed.
    mutating func meter(_ frame: Frame, _ grid: LuminanceGrid) -> [(Control, Int64)] {
        let isOff = inForce[.autoExposureMode] == 1
        guard !isOff || camera.character.keepsMetering else { return [] }
        guard let next = automatic.frame(brightness: Metering.brightness(of: grid, .assumed))?.duration else {
            return []
        }
        return isOff ? [] : [(.exposureTimeAbsolute, next.nanoseconds / 100_000)]
    }

    /// - Parameter unit: what a unit is, as a multiple of 100 µs.
    private static func duration(_ units: Int64, _ unit: Double = 1) -> ExposureDuration {
        ExposureDuration(nanoseconds: Int64((Double(units) * unit * 100_000).rounded()))
    }
}
