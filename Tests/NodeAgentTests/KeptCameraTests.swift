import CaptureModel
import Foundation
import NodeAgent
import PhotoCapture
import RigProtocol
import SimulatedCamera
import Synchronization
import Testing

@Suite("A camera that is set by hand", .timeLimit(.minutes(5)))
struct KeptCameraTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kept-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// A camera that has just been opened, while the body runs.
    private func opened<Result>(
        _ device: CaptureDevice = CaptureDevice(simulated: 1),
        _ body: (CaptureDevice, KeptCamera) async throws -> Result
    ) async throws -> Result {
        let session = CaptureSession()
        try session.addInput(device)
        try session.startRunning()
        defer { try? session.stopRunning() }
        return try await body(device, KeptCamera(folder: folder))
    }

    @Test("is so again whenever it is opened, until it is reset")
    func kept() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let found = try await opened { device, kept in
            let found = try await kept.state(of: device).current
            let settings = try CameraSettings(words: ["exposureDuration=1/500", "lensPosition=0.25"])
            let state = try await kept.carryOut(.set, settings, on: device)
            #expect(state.kept?.exposureMode == .custom && state.kept?.iso != nil, "with what it goes with")
            let more = try await kept.carryOut(.set, CameraSettings(words: ["lensPosition=0.5"]), on: device)
            #expect(more.kept?.exposureDuration?.nanoseconds == 2_000_000 && more.kept?.lensPosition == 0.5)
            return found
        }
        try await opened { device, kept in
            try await kept.restore(device)
            let state = try await kept.carryOut(.show, nil, on: device)
            #expect(state.current.exposureDuration?.nanoseconds == 2_000_000 && state.current.lensPosition == 0.5)
            let reset = try await kept.carryOut(.reset, nil, on: device)
            #expect(reset.kept == nil && reset.current.exposureMode == .continuousAutoExposure)
            #expect(reset.current.lensPosition == found.lensPosition)
        }
        try await opened { device, kept in
            try await kept.restore(device)
            let now = try await kept.state(of: device)
            #expect(now.current.lensPosition == found.lensPosition)
        }
    }

    @Test("says of a file that cannot be read which it is, until it is reset")
    func damaged() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/camera.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        try await opened { device, kept in
            let error = await #expect(throws: KeptCamera.Trouble.self) { try await kept.restore(device) }
            #expect(error?.description.contains(file) == true)
            let shown = try await kept.carryOut(.show, nil, on: device)
            #expect(shown.problem?.contains(file) == true)
            let settings = try CameraSettings(words: ["lensPosition=1"])
            await #expect(throws: KeptCamera.Trouble.self) { try await kept.carryOut(.set, settings, on: device) }
            let reset = try await kept.carryOut(.reset, nil, on: device)
            #expect(
                reset.problem?.contains("as it was opened") == true && !FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("is not half of what it was where it is another one, until it is reset")
    func another() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = #"{"settings": {"iso": 1000000, "lensPosition": 0.1}, "found": {"iso": 500000}}"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/camera.json"))
        try await opened { device, kept in
            let found = try await kept.state(of: device).current
            await #expect(throws: CaptureDeviceError.self) { try await kept.restore(device) }
            let more = try CameraSettings(words: ["whiteBalance=2,1,1"])
            await #expect(throws: CaptureDeviceError.self) {
                try await kept.carryOut(.set, more, on: device, isInForce: false)
            }
            let now = try await kept.state(of: device).current
            #expect(now.lensPosition == found.lensPosition && now.whiteBalance == found.whiteBalance)
            let reset = try await kept.carryOut(.reset, nil, on: device)
            #expect(reset.kept == nil && reset.problem?.contains("as it was opened") == true)
            let set = try await kept.carryOut(.set, more, on: device)
            #expect(set.kept?.whiteBalance == more.whiteBalance && set.kept?.lensPosition == nil)
        }
    }

    @Test("is as it was where its driver fails half-way, and what was found is not forgotten")
    func failure() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let camera = StubbornCamera(seed: 1)
        try await opened(CaptureDevice(camera)) { device, kept in
            let found = try await kept.state(of: device).current
            camera.stubbornness.withLock { $0 = 1 }
            let settings = try CameraSettings(words: ["iso=800", "exposureDuration=1/1000", "lensPosition=0.1"])
            let once = await #expect(throws: CaptureError.self) { try await kept.carryOut(.set, settings, on: device) }
            #expect(once?.message.contains("Input/output error") == true)
            let now = try await kept.state(of: device)
            #expect(now.current.exposureMode == found.exposureMode && now.kept == nil)
            #expect(now.current.lensPosition == found.lensPosition)
            camera.stubbornness.withLock { $0 = .max }
            let lost = await #expect(throws: KeptCamera.Trouble.self) {
                try await kept.carryOut(.set, settings, on: device)
            }
            #expect(lost?.description.contains("Nor could it be set back") == true)
            camera.stubbornness.withLock { $0 = 0 }
            try await kept.restore(device)
            #expect(try await kept.state(of: device).current.exposureMode == found.exposureMode, "what was found")
            let set = try await kept.carryOut(.set, settings, on: device)
            #expect(set.kept?.iso == 800 && set.current.lensPosition == 0.1)
            let reset = try await kept.carryOut(.reset, nil, on: device)
            #expect(reset.current.exposureMode == found.exposureMode)
            #expect(reset.current.lensPosition == found.lensPosition)
        }
    }

    @Test("that is refused is not kept")
    func refused() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await opened { device, kept in
            await #expect(throws: CaptureDeviceError.self) {
                try await kept.carryOut(.set, CameraSettings(words: ["lensPosition=1", "iso=1000000"]), on: device)
            }
            let now = try await kept.state(of: device)
            #expect(now.kept == nil)
        }
    }
}
