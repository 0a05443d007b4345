package import CaptureModel
import FoundationEssentials
package import PhotoCapture
import Posix
package import RigProtocol

/// A node's camera as it is set by hand: what was set is in a file of the node's folder, and is set again whenever the
/// camera is opened.
package struct KeptCamera: Sendable {
    /// What the file holds.
    private struct Contents: Codable {
        /// What is set whenever the camera is opened.
        var settings = CameraSettings()
        /// What was found before anything was set by hand.
        var found: CameraSettings
    }

    /// What stands in the way of setting a camera.
    package enum Trouble: Error, CustomStringConvertible {
        /// The file at this path cannot be read.
        case damagedFile(String)
        /// The camera is neither set as it was to be nor as it was before.
        case halfSet(String)

        package var description: String {
            switch self {
            case .damagedFile(let path):
                "\(path) says what the camera was set to by hand, and cannot be read; a reset removes it."
            case .halfSet(let why): why
            }
        }
    }

    private let path: String
    private let files = PosixFileSystem()

    /// - Parameter folder: the node's, which need not be there yet.
    package init(folder: String) {
        path = folder + "/camera.json"
    }

    /// Carries out an order; one at a time.
    ///
    /// - Parameter isInForce: whether the camera is set to what was kept so far; else that is set as well.
    /// - Returns: what the camera is set to then.
    /// - Throws: ``CaptureDeviceError`` where the camera cannot be set so, before anything is written; for a camera or a
    ///   disk that failed what that said, once the camera is as it was before, or else
    ///   ``Trouble``.
    package func carryOut(
        _ act: CameraOrder.Act, _ settings: CameraSettings?, on device: CaptureDevice, isInForce: Bool = true
    ) async throws -> CameraState {
        var remark: String?
        do {
            switch act {
            case .show: break
            case .set: try await set(settings ?? CameraSettings(), on: device, isInForce: isInForce)
            case .reset: remark = try await reset(device)
            }
        } catch let error where error is CaptureDeviceError || error is Trouble {
            throw error
        } catch {
            do { try await restore(device, isOpened: false) } catch let second {
                throw Trouble.halfSet("\(error) Nor could it be set back: \(second)")
            }
            throw error
        }
        var state = try await state(of: device)
        state.problem = state.problem ?? remark
        return state
    }

    private func set(_ settings: CameraSettings, on device: CaptureDevice, isInForce: Bool) async throws {
        let former = try await contents()
        let merged = settings.over(former?.settings ?? CameraSettings())
        let wanted = isInForce ? settings : merged
        try device.check(wanted)
        let before = try await device.currentState()
        let byHand = before.current.byHand(choosesGain: before.exposureTargetOffset == nil)
        // What was found must not be lost to a power cut in the middle.
        var contents = former ?? Contents(found: repeatable(byHand, before.current, device))
        if former == nil { try await keep(contents) }
        try await device.set(wanted)
        contents.settings = repeatable(merged, try await device.currentState().current, device)
        try await keep(contents)
    }

    /// What brings settings about again. A driver's automatic may choose what cannot be set by hand.
    private func repeatable(
        _ settings: CameraSettings, _ current: CameraSettings, _ device: CaptureDevice
    ) -> CameraSettings {
        let settled = settings.settled(as: current)
        let isTaken = (try? device.check(settled)) != nil
        return isTaken ? settled : settings.settled(as: CameraSettings())
    }

    /// - Returns: why it is not set as it was found; nil where it is.
    private func reset(_ device: CaptureDevice) async throws -> String? {
        var remark: String?
        do {
            if let contents = try await contents() { try await device.set(contents.found) }
        } catch let error as CaptureDeviceError {
            remark = "It is as it was opened, as it cannot be set to what was found before: \(error)"
        } catch let error as Trouble {
            remark = "It is as it was opened: \(error)"
        }
        try await keep(nil)
        return remark
    }

    /// What is kept, in words; nil for nothing.
    var words: String? {
        get async {
            guard let settings = (try? await contents())?.settings, !settings.properties.isEmpty else { return nil }
            return String(settings.words.prefix(300))
        }
    }

    /// What the camera is set to, and what of that is kept.
    package func state(of device: CaptureDevice) async throws -> CameraState {
        var state = try await device.currentState()
        do {
            let kept = try await contents()?.settings
            state.kept = kept?.properties.isEmpty ?? true ? nil : kept
        } catch {
            state.problem = "\(error)"
        }
        return state
    }

    /// Sets a camera to what was kept.
    ///
    /// - Parameter isOpened: whether all else is as it was found; otherwise that is set as well.
    package func restore(_ device: CaptureDevice, isOpened: Bool = true) async throws {
        guard let contents = try await contents() else { return }
        // One without settings was to be set, and was not.
        let isWhole = isOpened && !contents.settings.properties.isEmpty
        try await device.set(isWhole ? contents.settings : contents.settings.over(contents.found))
    }

    // MARK: The file

    /// Nil for nothing.
    private func contents() async throws -> Contents? {
        try await OSThread.run(name: "camera-file") { [path, files] in
            guard try files.byteCount(of: path) != nil else { return nil }
            let bytes = try files.read(path)
            do { return try JSONDecoder().decode(Contents.self, from: Data(bytes)) } catch {
                throw Trouble.damagedFile(path)
            }
        }
    }

    private func keep(_ contents: Contents?) async throws {
        do {
            try await OSThread.run(name: "camera-file") { [path, files] in
                guard let contents else {
                    try files.remove(path)
                    return try files.syncFolder(files.parent(of: path))
                }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                try files.writeDurably(Array(try encoder.encode(contents)) + [0x0A], to: path)
            }
        } catch {
            throw CaptureError(.storageFailed, "What the camera is set to by hand cannot be kept: \(error)")
        }
    }
}
