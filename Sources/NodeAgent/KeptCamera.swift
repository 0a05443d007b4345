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
    /// - Throws: ``CaptureDeviceError`` where the camera cannot be set so, before anything is written; ``CaptureError``
    ///   for a camera that failed, or a disk.
    package func carryOut(
        _ act: CameraOrder.Act, _ settings: CameraSettings?, on device: CaptureDevice, isInForce: Bool = true
    ) async throws -> CameraState {
        switch act {
        case .show: break
        case .set: try await set(settings ?? CameraSettings(), on: device, isInForce: isInForce)
        case .reset: try await reset(device)
        }
        return try await state(of: device)
    }

    private func set(_ settings: CameraSettings, on device: CaptureDevice, isInForce: Bool) async throws {
        let former = try await contents()
        let merged = settings.over(former?.settings ?? CameraSettings())
        let wanted = isInForce ? settings : merged
        try device.check(wanted)
        let before = try await device.currentState().current
        // What was found must not be lost to a power cut in the middle.
        var contents = former ?? Contents(found: repeatable(before.byHand, before, device))
        if former == nil { try await keep(contents) }
        do { try await device.set(wanted) } catch {
            // Half of it would be neither the one nor the other.
            try? await device.set(repeatable(before.byHand, before, device))
            throw error
        }
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

    private func reset(_ device: CaptureDevice) async throws {
        // A file that cannot be read has nothing to go back to.
        if let contents = try? await contents() {
            do { try await device.set(contents.found) } catch is CaptureDeviceError {
                // It is another camera, which has not been set to anything.
            }
        }
        try await keep(nil)
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

    /// Sets a camera that was opened to what was kept.
    package func restore(_ device: CaptureDevice) async throws {
        if let settings = try await contents()?.settings, !settings.properties.isEmpty {
            try await device.set(settings)
        }
    }

    // MARK: The file

    /// Nil for nothing.
    private func contents() async throws -> Contents? {
        try await OSThread.run(name: "camera-file") { [path, files] in
            guard try files.byteCount(of: path) != nil else { return nil }
            let bytes = try files.read(path)
            do { return try JSONDecoder().decode(Contents.self, from: Data(bytes)) } catch {
                throw CaptureError(
                    .storageFailed,
                    "\(path) says what the camera was set to by hand, and cannot be read; a reset removes it.")
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
