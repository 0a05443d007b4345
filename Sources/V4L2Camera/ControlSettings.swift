import CaptureModel
import Glibc
import PhotoCapture
import Posix
import Video4Linux

/// The controls that a configuration gives values, found on the device and checked before any is set.
struct ControlSettings {
    private let device: VideoDevice
    /// In the order of setting them.
    private let settings: [(control: Control, value: Int64)]

    /// - Throws: ``CaptureError`` with `unsupportedSettings` for a control that the device does not have or that cannot
    ///   be set, and for a value out of its range.
    init(_ wanted: [String: Int64], _ device: VideoDevice) throws(CaptureError) {
        self.device = device
        let all: [Control]
        do throws(SystemError) {
            all = wanted.isEmpty ? [] : try device.controls().filter(Self.canBeSet)
        } catch {
            throw CaptureError(error)
        }
        var found: [(control: Control, value: Int64)] = []
        for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let control = all.first(where: { $0.identifier == name }) else {
                throw Self.refusal(
                    device, "has no control '\(name)' to set; it has \(all.map(\.identifier).joined(separator: ", "))")
            }
            if let range = Self.objection(to: value, control) {
                throw Self.refusal(device, "cannot set '\(name)' to \(value), only \(range)")
            }
            found.append((control, value))
        }
        // Switches and menus first: an automatic mode locks the controls that it drives.
        settings = found.sorted { $0.control.rank < $1.control.rank }
    }

    /// The automatics that are switched off, and the camera is therefore used without.
    var switchedOff: Set<Control.ID> {
        settings.reduce(into: []) { all, setting in
            guard setting.value == 0 else { return }
            switch setting.control.id {
            case .focusAuto: all.formUnion([.focusAuto, .autoFocusStart, .autoFocusStop, .autoFocusRange])
            case .autoWhiteBalance: all.formUnion([.autoWhiteBalance, .doWhiteBalance])
            default: break
            }
        }
    }

    /// Sets them all, and reads each back.
    func apply() throws(CaptureError) {
        for (control, value) in settings {
            let taken: Int64
            do throws(SystemError) {
                try device.setValue(value, of: control)
                // A lens on a motor is still on its way.
                let tellsItself = control.flags.isDisjoint(with: [.writeOnly, .volatile, .executeOnWrite])
                taken = tellsItself ? try device.value(of: control) : value
            } catch  where error.errno == EACCES {
                throw Self.refusal(device, "has '\(control.identifier)' under automatic control; turn that off as well")
            } catch {
                throw CaptureError(error)
            }
            guard taken == value else {
                throw Self.refusal(device, "set '\(control.identifier)' to \(taken) instead of \(value)")
            }
        }
    }

    /// Captures choose these: what is set here would last until the first one, or the automatic's first choice.
    private static let ofExposures: Set<Control.ID> = [
        .exposureAuto, .exposureAbsolute, .exposure, .exposureAutoPriority, .autogain, .gain, .analogueGain,
        .isoSensitivity, .isoSensitivityAuto, .verticalBlanking,
    ]

    private static func canBeSet(_ control: Control) -> Bool {
        guard !control.flags.contains(.readOnly), !ofExposures.contains(control.id) else { return false }
        return switch control.kind {
        case .integer, .boolean, .menu, .integer64, .bitmask, .integerMenu: true
        case .button, .controlClass, .string, nil: false
        }
    }

    /// What a control takes, where a value is none of that.
    private static func objection(to value: Int64, _ control: Control) -> String? {
        if !control.menu.isEmpty {
            guard !control.menu.contains(where: { $0.index == value }) else { return nil }
            return control.menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        }
        if control.kind == .bitmask {
            return value & ~control.maximum == 0 ? nil : "bits of \(control.maximum)"
        }
        let isInRange = value >= control.minimum && value <= control.maximum
        return isInRange ? nil : "\(control.minimum) to \(control.maximum)"
    }

    private static func refusal(_ device: VideoDevice, _ words: String) -> CaptureError {
        CaptureError(.unsupportedSettings, "\(device.path) \(words). Correct 'controls' in its configuration.")
    }
}

extension Control {
    fileprivate var rank: (Int, UInt32) {
        (kind == .boolean || kind == .menu || kind == .integerMenu ? 0 : 1, id.rawValue)
    }
}
