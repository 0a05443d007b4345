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
        var found: [(Control, Int64)] = []
        for (name, value) in wanted {
            guard let control = all.first(where: { $0.identifier == name }) else {
                throw Self.refusal(
                    device, "has no control '\(name)' to set; it has \(all.map(\.identifier).joined(separator: ", "))")
            }
            if let range = Self.objection(to: value, control) {
                throw Self.refusal(device, "cannot set '\(name)' to \(value), only \(range)")
            }
            found.append((control, value))
        }
        // An automatic locks what it chooses, and is a choice itself.
        settings = found.sorted { $0.0.rank < $1.0.rank }
    }

    /// Sets them all, and reads each back.
    func apply() throws(CaptureError) {
        for (control, value) in settings {
            let taken: Int64
            do throws(SystemError) {
                try device.setValue(value, of: control)
                taken = control.flags.contains(.writeOnly) ? value : try device.value(of: control)
            } catch  where error.errno == EACCES {
                throw Self.refusal(device, "leaves '\(control.identifier)' to an automatic; switch that off as well")
            } catch {
                throw CaptureError(error)
            }
            guard taken == value else {
                throw Self.refusal(device, "made \(taken) of '\(control.identifier)', not \(value)")
            }
        }
    }

    private static func canBeSet(_ control: Control) -> Bool {
        guard !control.flags.contains(.readOnly) else { return false }
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
        let isInRange = value >= control.minimum && value <= control.maximum
        return control.kind == .bitmask || isInRange ? nil : "\(control.minimum) to \(control.maximum)"
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
