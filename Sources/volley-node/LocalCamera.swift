import ArgumentParser
import CaptureModel
import NodeAgent
import PhotoCapture
import Programs
import RigConfiguration

/// One of this board's cameras, in a session that belongs to the command.
struct LocalCamera {
    let device: CaptureDevice
    let session = CaptureSession()
    let output = PhotoOutput()
    let profiles: FileProfileStore

    init(_ settings: Settings) throws {
        let camera = try CameraName.factory(settings)()
        profiles = FileProfileStore(folder: NodeOptions.profileFolder(settings))
        device = CaptureDevice(camera, profiles: profiles)
        try session.addInput(device)
        try session.addOutput(output)
    }

    /// Runs the camera while the body runs. Ctrl-C ends it cleanly: a capture under way gets its last events, and the
    /// camera its former settings.
    func running(_ body: () async throws -> Void) async throws {
        try session.startRunning()
        defer { try? session.stopRunning() }
        let isInterrupted = try await Interruptible.run(stop: { try? session.stopRunning() }, body)
        guard !isInterrupted else {
            Output.words("volley-node: interrupted; \(device.uniqueID) has its former settings back")
            throw ExitCode(ExitStatus.interrupted)
        }
    }
}
