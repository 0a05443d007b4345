import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import NodeAgent
import PhotoCapture
import PhotoStore
import Posix
import RigConfiguration
import RigProtocol

/// `volley-node shoot PLAN`: a capture on this board alone.
struct ShootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shoot",
        abstract: "Captures a plan with one camera, without a coordinator, and prints its events as JSON lines.")

    @Argument(help: "The plan, YAML.") var plan: String
    @OptionGroup var options: CameraOptions
    @Option(help: "The folder for the photos; without one they are not kept.") var output: String?

    func run() async throws {
        try await Report.errors {
            let plan = try readPlan()
            let settings = try options.settings()
            let camera = try CameraName.factory(settings, isRequired: false)()
            let profiles = FileProfileStore(folder: CameraOptions.profileFolder(settings))
            if let output { try DurableFile.makeFolder(output) }
            let status = try await shoot(plan, CaptureDevice(camera, profiles: profiles))
            if status != 0 { throw ExitCode(status) }
        }
    }

    private func readPlan() throws -> Plan {
        do throws(ConfigurationError) {
            let file = try ConfigurationFile.read(plan)
            return try PlanFile.parse(file.text, name: file.name)
        } catch {
            throw BadPlan(message: "\(error)")
        }
    }

    /// - Returns: the exit status: 0 for all photos, 2 for some, 1 for none.
    private func shoot(_ plan: Plan, _ device: CaptureDevice) async throws -> Int32 {
        let (session, photoOutput) = (CaptureSession(), PhotoOutput())
        try session.addInput(device)
        try session.addOutput(photoOutput)
        try session.startRunning()
        defer { try? session.stopRunning() }
        if device.profile == nil { Report.words("volley-node: learning the camera's delays and response first") }
        var ids = UniqueIDAllocator()
        let id = ids.next(microsecondsSinceEpoch: Clocks.microsecondsSinceEpoch())
        let prepared = try await photoOutput.prepare(
            PhotoBracketSettings(uniqueID: id, formats: plan.formats, bracketedSettings: plan.bracket))
        var (sequence, good, failed) = (0, 0, 0)
        for await timed in try photoOutput.fire(prepared) {
            sequence += 1
            var event = CaptureEvent(timed, uniqueID: id, sequence: sequence)
            if case .didFinishProcessingPhoto(let photo) = timed.event {
                event.photo = try keep(photo, id)
                if photo.record.error == nil { good += 1 } else { failed += 1 }
            }
            try Report.line(event)
        }
        return failed == 0 ? 0 : good > 0 ? ExitStatus.partial : ExitStatus.failed
    }

    /// Writes a photo's file, and says in its record what was written.
    private func keep(_ photo: Photo, _ id: UniqueID) throws -> PhotoRecord {
        var record = photo.record
        guard let bytes = photo.fileData else { return record }
        record.file = PhotoFile(
            byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: photo.dimensions,
            imageUniqueID: photo.imageUniqueID)
        if let output {
            let name = "\(id)_\(record.sequenceCount).\(record.format.pathExtension)"
            try DurableFile.write(bytes, to: output + "/" + name)
        }
        return record
    }
}
