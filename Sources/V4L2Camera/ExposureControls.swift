import CaptureModel
import PhotoCapture
import Posix
import Video4Linux

/// The exposure controls that a V4L2 device has, in the core's units.
struct ExposureControls: Sendable {
    /// V4L2_EXPOSURE_MANUAL.
    private static let manualMode: Int64 = 1

    private let mode: Control?
    private let time: Control?
    private let iso: Control?
    /// What is put back after a bracket: the controls as they were when the camera was opened.
    private let original: [(control: Control, value: Int64)]

    init(_ device: VideoDevice) throws(SystemError) {
        let controls = try device.controls()
        func find(_ id: Control.ID) -> Control? {
            controls.first { $0.id == id && !$0.flags.contains(.readOnly) }
        }
        mode = find(.exposureAuto)
        time = find(.exposureAbsolute)
        iso = find(.isoSensitivity).flatMap { $0.kind == .integerMenu ? $0 : nil }
        var values: [(Control, Int64)] = []
        for control in [mode, time, iso].compactMap({ $0 }) {
            values.append((control, try device.value(of: control)))
        }
        original = values
    }

    /// Whether a time can be set: there is a control for it, and a manual mode where there are modes.
    private var canSetTime: Bool {
        time != nil && (mode.map { $0.menu.contains { $0.index == Self.manualMode } } ?? true)
    }

    var durationRange: ClosedRange<ExposureDuration>? {
        guard canSetTime, let time, time.minimum <= time.maximum else { return nil }
        return Self.duration(max(1, time.minimum))...Self.duration(max(1, time.maximum))
    }

    var isoRange: ClosedRange<Double>? {
        let values = (iso?.menu ?? []).compactMap { $0.value.map { Double($0) / 1000 } }.sorted()
        guard let low = values.first, let high = values.last, low > 0 else { return nil }
        return low...high
    }

    /// One sentence for each thing that is missing, naming the control.
    func limitations(card: String) -> [String] {
        var sentences: [String] = []
        if !canSetTime {
            sentences.append(
                "\(card) has no manual exposure control (V4L2_CID_EXPOSURE_ABSOLUTE with a manual mode), "
                    + "so manual and automatic exposure brackets are refused.")
        } else {
            sentences.append(
                "\(card) does not tell what its automatic exposure meters, so automatic brackets are refused.")
        }
        if isoRange == nil {
            sentences.append("\(card) has no ISO control (V4L2_CID_ISO_SENSITIVITY); a gain without unit is not one.")
        }
        return sentences
    }

    /// What the device would expose with now; nil where its automatic decides.
    func current(_ device: VideoDevice) throws(SystemError) -> Exposure? {
        if let mode, try device.value(of: mode) != Self.manualMode { return nil }
        guard let time else { return nil }
        return Exposure(duration: Self.duration(try device.value(of: time)), iso: try isoValue(device))
    }

    /// Sets an exposure and reads back what the driver made of it.
    func set(_ exposure: Exposure, on device: VideoDevice) throws(SystemError) -> Exposure {
        // In automatic mode the time is inactive: setting it is EACCES.
        if let mode, try device.value(of: mode) != Self.manualMode { try device.setValue(Self.manualMode, of: mode) }
        if let time, let duration = exposure.duration {
            try device.setValue(Self.units(duration), of: time)
        }
        if let iso, let wanted = exposure.iso {
            let nearest = iso.menu.min {
                abs(Double($0.value ?? 0) - wanted * 1000) < abs(Double($1.value ?? 0) - wanted * 1000)
            }
            if let nearest { try device.setValue(nearest.index, of: iso) }
        }
        return Exposure(
            duration: try time.map { control throws(SystemError) in
                Self.duration(try device.value(of: control))
            }, iso: try isoValue(device))
    }

    /// Puts back what a bracket overrode.
    func restore(_ device: VideoDevice) throws(SystemError) {
        for (control, value) in original.reversed() {
            do {
                try device.setValue(value, of: control)
            } catch  where error.errno == 13 {
                // EACCES: inactive because the restored mode is automatic, which sets it by itself.
                continue
            }
        }
    }

    private func isoValue(_ device: VideoDevice) throws(SystemError) -> Double? {
        guard let iso else { return nil }
        let index = try device.value(of: iso)
        return iso.menu.first { $0.index == index }?.value.map { Double($0) / 1000 }
    }

    /// V4L2_CID_EXPOSURE_ABSOLUTE counts 100 µs.
    private static func duration(_ units: Int64) -> ExposureDuration {
        ExposureDuration(nanoseconds: units * 100_000)
    }

    private static func units(_ duration: ExposureDuration) -> Int64 {
        max(1, (duration.nanoseconds + 50_000) / 100_000)
    }
}
