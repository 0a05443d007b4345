import CaptureModel
import Glibc
import PhotoCapture
import Posix
import Video4Linux

/// The controls of a V4L2 device in the core's units.
///
/// | core | V4L2 |
/// |---|---|
/// | exposure duration | EXPOSURE_ABSOLUTE, in 100 µs, with EXPOSURE_AUTO on manual; else EXPOSURE, in lines |
/// | frame duration | VBLANK, in lines, by PIXEL_RATE and HBLANK |
/// | ISO | ISO_SENSITIVITY, a menu of thousandths |
/// | gain | ANALOGUE_GAIN or GAIN, without unit, where there is no ISO |
/// | lens position | FOCUS_ABSOLUTE, which grows towards the near end |
/// | white balance gains | RED_BALANCE and BLUE_BALANCE, 1 being their default |
/// | temperature | WHITE_BALANCE_TEMPERATURE |
struct ControlMap: Sendable {
    /// V4L2_EXPOSURE_MANUAL, V4L2_EXPOSURE_AUTO, V4L2_EXPOSURE_APERTURE_PRIORITY.
    private static let (manualMode, autoMode, aperturePriority): (Int64, Int64, Int64) = (1, 0, 3)

    private let device: VideoDevice
    private let byID: [Control.ID: Control]
    /// V4L2_CID_AUTO_FOCUS_STATUS, which can only be read.
    private let focusStatus: Control?
    /// Where the driver counts in lines.
    private let timing: LineTiming?
    /// What is put back when the camera is released.
    private let original: [(control: Control, value: Int64)]

    /// - Parameter switchedOff: automatics that the camera is used without.
    init(_ device: VideoDevice, _ format: ActiveFormat, switchedOff: Set<Control.ID>) throws(SystemError) {
        self.device = device
        var found: [Control.ID: Control] = [:]
        let all = try device.controls()
        for control in all where !control.flags.contains(.readOnly) { found[control.id] = control }
        for id in switchedOff { found[id] = nil }
        focusStatus = all.first { $0.id == .autoFocusStatus }
        timing = try Self.timing(device, all, format)
        byID = found
        var values: [(Control, Int64)] = []
        for id in Self.ours {
            guard let control = found[id], control.kind != .button else { continue }
            values.append((control, try device.value(of: control)))
        }
        original = values
    }

    /// The modes first, so that what they unlock can be put back as well.
    private static let ours: [Control.ID] = [
        .exposureAuto, .autogain, .isoSensitivityAuto, .autoWhiteBalance, .focusAuto, .exposureAbsolute,
        .exposureAutoPriority, .verticalBlanking, .exposure, .isoSensitivity, .analogueGain, .gain, .redBalance,
        .blueBalance, .whiteBalanceTemperature, .focusAbsolute, .autoFocusRange, .imageStabilization,
    ]

    // MARK: What there is

    /// How the driver is told an exposure.
    private struct ExposureTime {
        let control: Control
        /// Where it counts in lines.
        let timing: LineTiming?

        /// V4L2_CID_EXPOSURE_ABSOLUTE counts 100 µs.
        func duration(_ units: Int64) -> ExposureDuration {
            ExposureDuration(nanoseconds: timing?.duration(lines: units) ?? units * 100_000)
        }

        func units(_ duration: ExposureDuration) -> Int64 {
            timing.map { max(control.minimum, $0.lines(duration.nanoseconds)) }
                ?? max(1, (duration.nanoseconds + 50_000) / 100_000)
        }

        /// In the control's units; a range in lines grows with the frame.
        var range: ClosedRange<Int64>? {
            let longest = timing.map { $0.lines($0.frameDurations.upperBound) } ?? 1
            let (low, high) = (max(1, control.minimum), max(1, control.maximum, longest))
            return control.minimum <= control.maximum ? low...high : nil
        }
    }

    /// Nil where exposures cannot be set. Lines are used only where there is no other way.
    private var exposureTime: ExposureTime? {
        guard byID[.exposureAuto].map({ $0.menu.contains { $0.index == Self.manualMode } }) ?? true else { return nil }
        if let control = byID[.exposureAbsolute] { return ExposureTime(control: control, timing: nil) }
        guard let control = byID[.exposure], let timing else { return nil }
        return ExposureTime(control: control, timing: timing)
    }

    /// From frame to frame, by the blanking that is set, in nanoseconds; nil where the driver does not count in lines.
    func frameDuration() -> Int64? {
        guard let timing, let lines = (try? value(.verticalBlanking)).flatMap({ $0 }) else { return nil }
        return timing.duration(lines: timing.height + lines)
    }

    private static func timing(
        _ device: VideoDevice, _ controls: [Control], _ format: ActiveFormat
    ) throws(SystemError) -> LineTiming? {
        func find(_ id: Control.ID) -> Control? { controls.first { $0.id == id } }
        guard let rate = find(.pixelRate), let horizontal = find(.horizontalBlanking),
            let vertical = find(.verticalBlanking), vertical.minimum < vertical.maximum,
            !vertical.flags.contains(.readOnly)
        else { return nil }
        return LineTiming(
            pixelRate: try device.value(of: rate), horizontalBlanking: try device.value(of: horizontal),
            width: format.width, height: format.height, blanking: vertical.minimum...vertical.maximum)
    }

    private var gain: Control? { isos.isEmpty ? byID[.analogueGain] ?? byID[.gain] : nil }

    /// The menu of ISO values, where the driver has one.
    private var isos: [(index: Int64, iso: Double)] {
        guard let control = byID[.isoSensitivity], control.kind == .integerMenu else { return [] }
        return control.menu.compactMap { item in item.value.map { (item.index, Double($0) / 1000) } }
            .filter { $0.iso > 0 }
    }

    /// Adds what the controls can do to what is known of a camera.
    func describe(_ camera: inout CameraCapabilities) {
        if let time = exposureTime, let range = time.range {
            camera.exposureDurationRange = time.duration(range.lowerBound)...time.duration(range.upperBound)
            camera.exposureDurationStep = time.duration(max(1, Int64(clamping: time.control.step)))
        }
        if let timing {
            camera.frameDurationRange = timing.frameDurations
            camera.frameDurationStep = timing.duration(lines: 1)
            camera.readoutNanoseconds = timing.duration(lines: timing.height)
        }
        let isos = isos.map(\.iso).sorted()
        if let low = isos.first, let high = isos.last { camera.isoRange = low...high }
        camera.isoValues = isos
        camera.gainRange = gain.map { Double($0.minimum)...Double(max($0.minimum, $0.maximum)) }
        camera.canSetLensPosition = byID[.focusAbsolute].map { $0.minimum < $0.maximum } ?? false
        camera.hasAutoFocus = byID[.focusAuto] != nil || byID[.autoFocusStart] != nil
        camera.hasAutoExposure = byID[.exposureAuto].map { $0.menu.contains { $0.index != Self.manualMode } } ?? false
        camera.hasLensStabilization = byID[.imageStabilization] != nil
        camera.whiteBalance = WhiteBalanceCapability(
            maxWhiteBalanceGain: maxWhiteBalanceGain,
            temperatureRange: byID[.whiteBalanceTemperature].map { Double($0.minimum)...Double($0.maximum) },
            hasAutomatic: byID[.autoWhiteBalance] != nil)
        camera.limitations += limitations(camera)
    }

    /// One sentence for each thing that is missing, naming the control.
    private func limitations(_ camera: CameraCapabilities) -> [String] {
        var sentences: [String] = []
        let card = camera.modelID
        if camera.exposureDurationRange == nil {
            sentences.append(
                "\(card) has no manual exposure control (V4L2_CID_EXPOSURE_ABSOLUTE with a manual mode), "
                    + "so manual and automatic exposure brackets are refused.")
        } else if !camera.canMeter {
            sentences.append(
                "\(card) delivers \(camera.pixelFormat), whose brightness is not read, so automatic brackets are refused."
            )
        }
        if camera.isoRange == nil {
            sentences.append("\(card) has no ISO control (V4L2_CID_ISO_SENSITIVITY); a unitless gain is not one.")
        }
        if !camera.canSetLensPosition {
            sentences.append("\(card) has no lens to set (V4L2_CID_FOCUS_ABSOLUTE), so focus brackets are refused.")
        }
        if !camera.whiteBalance.canBeSet {
            sentences.append(
                "\(card) has no white balance to set (V4L2_CID_RED_BALANCE, V4L2_CID_WHITE_BALANCE_TEMPERATURE), "
                    + "so white balance brackets are refused.")
        }
        return sentences
    }

    // MARK: Values

    /// Whether there is an exposure or a gain that a request can carry.
    var hasExposureControls: Bool { exposureTime != nil || gain != nil || !isos.isEmpty }

    /// Takes exposure and gain out of the driver's hands, so that requests can carry them.
    func takeExposure() throws(SystemError) {
        if exposureTime != nil { try set(Self.manualMode, .exposureAuto) }
        if gain != nil { try set(0, .autogain) }
        if !isos.isEmpty { try set(0, .isoSensitivityAuto) }
    }

    /// Puts the exposure among some values into a request, for its frame alone.
    func put(_ values: ControlValues, into request: MediaRequest) throws(SystemError) {
        if let duration = values.exposureDuration, let time = exposureTime {
            try device.setValue(time.units(duration), of: time.control, in: request)
        }
        if let iso = values.iso, let control = byID[.isoSensitivity],
            let nearest = isos.min(by: { abs($0.iso - iso) < abs($1.iso - iso) })
        {
            try device.setValue(nearest.index, of: control, in: request)
        }
        if let wanted = values.gain, let gain {
            try device.setValue(Int64(wanted.rounded()), of: gain, in: request)
        }
    }

    /// Whether a completed request tells what its frame was exposed with. For a volatile control it tells what the
    /// driver has at that moment: the kernel reads those anew (v4l2_ctrl_request_complete).
    var requestsTellExposure: Bool {
        [exposureTime?.control, isos.isEmpty ? nil : byID[.isoSensitivity], gain]
            .allSatisfy { $0.map { !$0.flags.contains(.volatile) } ?? true }
    }

    /// What the frame of a completed request was exposed with.
    func exposure(of request: MediaRequest) throws(SystemError) -> Exposure {
        var exposure = Exposure()
        if let time = exposureTime {
            exposure.duration = time.duration(try device.value(of: time.control, in: request))
        }
        if let control = byID[.isoSensitivity] {
            let index = try device.value(of: control, in: request)
            exposure.iso = isos.first { $0.index == index }?.iso
        }
        if let gain { exposure.gain = Double(try device.value(of: gain, in: request)) }
        return exposure
    }

    /// Sets values in manual mode and reads back what the driver made of them; not so for a frame duration alone, which
    /// is set frame by frame.
    func write(_ values: ControlValues, frameDuration: Int64) throws(SystemError) -> ControlValues {
        if let duration = values.frameDuration, let timing {
            try set(timing.blanking(frameDuration: duration), .verticalBlanking)
        }
        guard values != values.only(.frameDuration) else { return values }
        // In automatic mode the time is inactive (setting it is EACCES), and a gain may be the automatic's.
        if values.exposureDuration != nil { try setManualMode() }
        if let iso = values.iso, let nearest = isos.min(by: { abs($0.iso - iso) < abs($1.iso - iso) }) {
            try set(0, .isoSensitivityAuto)
            try set(nearest.index, .isoSensitivity)
        }
        if let wanted = values.gain, let gain {
            try set(0, .autogain)
            try set(Int64(wanted.rounded()), gain.id)
        }
        // After the gain: some cameras latch one until an exposure is written.
        if let duration = values.exposureDuration { try setTime(duration, frameDuration) }
        if let position = values.lensPosition { try setLens(position) }
        if let white = values.whiteBalance { try setWhiteBalance(white) }
        return try read()
    }

    private func setManualMode() throws(SystemError) {
        guard let mode = byID[.exposureAuto], try device.value(of: mode) != Self.manualMode else { return }
        try device.setValue(Self.manualMode, of: mode)
    }

    private func setTime(_ duration: ExposureDuration, _ frameDuration: Int64) throws(SystemError) {
        guard let time = exposureTime else { return }
        let units = time.units(duration)
        if let timing = time.timing {
            // A driver clamps an exposure to the frame that is set: the longer frame comes first.
            let needed = timing.blanking(exposureLines: units)
            if let now = try value(.verticalBlanking), now < needed { try set(needed, .verticalBlanking) }
            // Its maximum has just grown with the frame.
            return try device.setValue(units, of: time.control)
        }
        // Without it, many UVC cameras clamp the exposure to the frame's length.
        if duration.nanoseconds > frameDuration { try set(1, .exposureAutoPriority) }
        try set(units, time.control.id)
    }

    private func setLens(_ position: Double) throws(SystemError) {
        guard let control = byID[.focusAbsolute] else { return }
        try set(0, .focusAuto)
        let span = Double(control.maximum - control.minimum)
        // A larger value is nearer.
        try set(control.maximum - Int64((position * span).rounded()), .focusAbsolute)
    }

    private func setWhiteBalance(_ white: WhiteBalance) throws(SystemError) {
        try set(0, .autoWhiteBalance)
        switch white {
        case .temperatureAndTint(let white):
            try set(Int64(white.temperature.rounded()), .whiteBalanceTemperature)
        case .gains(let gains):
            guard let red = byID[.redBalance], let blue = byID[.blueBalance] else { return }
            // Green has no control: the others are set relative to it.
            try set(Int64((gains.red / gains.green * Double(red.defaultValue)).rounded()), .redBalance)
            try set(Int64((gains.blue / gains.green * Double(blue.defaultValue)).rounded()), .blueBalance)
        }
    }

    /// The values that the controls have; without an exposure while the driver's automatic chooses it unseen.
    func read() throws(SystemError) -> ControlValues {
        var values = ControlValues()
        if let time = exposureTime, try value(.exposureAuto) ?? Self.manualMode == Self.manualMode {
            values.exposureDuration = time.duration(try device.value(of: time.control))
        }
        if let index = try value(.isoSensitivity) { values.iso = isos.first { $0.index == index }?.iso }
        if let gain { values.gain = try value(gain.id).map { Double($0) } }
        if let control = byID[.focusAbsolute], control.minimum < control.maximum {
            values.lensPosition =
                Double(control.maximum - (try device.value(of: control))) / Double(control.maximum - control.minimum)
        }
        values.whiteBalance = try whiteBalance()
        return values
    }

    private func whiteBalance() throws(SystemError) -> WhiteBalance? {
        if let kelvin = try value(.whiteBalanceTemperature) {
            return .temperatureAndTint(TemperatureAndTint(temperature: Double(kelvin)))
        }
        guard let red = byID[.redBalance], let blue = byID[.blueBalance], maxWhiteBalanceGain != nil else { return nil }
        let gains = WhiteBalanceGains(
            red: Double(try device.value(of: red)) / Double(red.defaultValue), green: 1,
            blue: Double(try device.value(of: blue)) / Double(blue.defaultValue))
        return gains.areValid ? .gains(gains) : nil
    }

    /// The kernel gives balances no unit; drivers make their default the gain 1.
    private var maxWhiteBalanceGain: Double? {
        guard let red = byID[.redBalance], let blue = byID[.blueBalance], red.defaultValue > 0, blue.defaultValue > 0
        else { return nil }
        return min(
            Double(red.maximum) / Double(red.defaultValue), Double(blue.maximum) / Double(blue.defaultValue))
    }

    /// What the driver calls the control of each property, as `v4l2-ctl` spells it.
    var names: [CameraProperty: String] {
        let white = byID[.whiteBalanceTemperature].map { [$0] } ?? [byID[.redBalance], byID[.blueBalance]]
        let controls: [CameraProperty: [Control?]] = [
            .exposureMode: [byID[.exposureAuto]], .exposureDuration: [exposureTime?.control],
            .iso: [isos.isEmpty ? nil : byID[.isoSensitivity]], .gain: [gain],
            .focusMode: [byID[.focusAuto] ?? byID[.autoFocusStart]], .lensPosition: [byID[.focusAbsolute]],
            .autoFocusRangeRestriction: [byID[.autoFocusRange]], .whiteBalanceMode: [byID[.autoWhiteBalance]],
            .whiteBalance: white, .lensStabilization: [byID[.imageStabilization]],
        ]
        return controls.compactMapValues { controls in
            let names = controls.compactMap { $0?.identifier }
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
    }

    // MARK: Automatics

    /// V4L2_AUTO_FOCUS_STATUS_BUSY.
    private static let focusIsBusy: Int64 = 1

    /// Whether the lens is still focusing; nil where the driver does not say.
    func isFocusing() throws(SystemError) -> Bool? {
        try focusStatus.map { control throws(SystemError) in
            try device.value(of: control) & Self.focusIsBusy != 0
        }
    }

    /// Nil where the lens has no stabiliser.
    func isStabilized() throws(SystemError) -> Bool? { try value(.imageStabilization).map { $0 != 0 } }

    func setAutomatic(_ automatic: CameraAutomatic) throws(SystemError) {
        switch automatic {
        case .exposure(let isOn):
            guard let mode = byID[.exposureAuto] else { return }
            let auto = [Self.autoMode, Self.aperturePriority].first { wanted in
                mode.menu.contains { $0.index == wanted }
            }
            try set(isOn ? auto ?? Self.manualMode : Self.manualMode, .exposureAuto)
        case .focus(let isOn, let restriction):
            try setRange(restriction)
            try set(isOn ? 1 : 0, .focusAuto)
            if !isOn { try set(1, .autoFocusStop) }
        case .focusOnce(let restriction):
            try setRange(restriction)
            // Where the driver cannot focus once, its automatic is on until it has.
            try set(byID[.autoFocusStart] == nil ? 1 : 0, .focusAuto)
            try set(1, .autoFocusStart)
        case .whiteBalance(let isOn):
            try set(isOn ? 1 : 0, .autoWhiteBalance)
        case .whiteBalanceOnce:
            try set(0, .autoWhiteBalance)
            try set(1, .doWhiteBalance)
        case .lensStabilization(let isOn):
            try set(isOn ? 1 : 0, .imageStabilization)
        }
    }

    /// V4L2_AUTO_FOCUS_RANGE_AUTO, _MACRO and _INFINITY; a driver's only far restriction is infinity.
    private func setRange(_ restriction: AutoFocusRangeRestriction) throws(SystemError) {
        let wanted: Int64 =
            switch restriction {
            case .none: 0
            case .near: 2
            case .far: 3
            }
        guard let range = byID[.autoFocusRange], range.menu.contains(where: { $0.index == wanted }) else { return }
        try set(wanted, .autoFocusRange)
    }

    /// Whether anything changes by itself, so that polling is worthwhile.
    var hasAutomatics: Bool { byID[.focusAuto] != nil || byID[.autoWhiteBalance] != nil }

    /// Asks for an event for each change that somebody else makes. A driver without events is polled.
    func subscribe() {
        for id in Self.ours where byID[id] != nil { try? device.subscribe(to: id) }
    }

    /// Puts back what was found, as far as the driver allows.
    func restore() {
        // One that is inactive is refused: the restored mode sets it by itself.
        for (control, value) in original { try? device.setValue(value, of: control) }
    }

    // MARK: Units

    private func set(_ value: Int64, _ id: Control.ID) throws(SystemError) {
        guard let control = byID[id] else { return }
        let isRanged = control.kind == .integer || control.kind == .integer64
        let bounded = isRanged ? min(max(value, control.minimum), control.maximum) : value
        try device.setValue(bounded, of: control)
    }

    private func value(_ id: Control.ID) throws(SystemError) -> Int64? {
        try byID[id].map { control throws(SystemError) in try device.value(of: control) }
    }
}
