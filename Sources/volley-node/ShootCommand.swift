import ArgumentParser
import CaptureModel
import Documents
import DurableFiles
import Foundation
import Glibc
import NodeAgent
import PhotoCapture
import Posix
import Programs
import RigConfiguration
import RigProtocol

/// `volley-node shoot PLAN`: a capture on this board only.
struct ShootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shoot",
        abstract: "Captures a plan with one camera, without a coordinator, and prints its events as JSON lines.")

    @Argument(help: "The plan, a YAML file.") var plan: String
    @OptionGroup var options: CameraOptions
    @Option(help: "The folder for the photos; without it they are not kept.") var output: String?

    func run() async throws {
        try await Output.reporting {
            let plan = try PlanFile.read(plan)
            let settings = try options.settings()
            if let output { try Self.checkFolder(output) }
            let camera = try LocalCamera(settings)
            var (good, failed) = (0, 0)
            try await camera.running {
                try await shoot(plan, camera) { record in
                    if record.error == nil { good += 1 } else { failed += 1 }
                }
            }
            if failed > 0 { throw ExitCode(good > 0 ? ExitStatus.partial : ExitStatus.failed) }
        }
    }

    private func shoot(_ plan: Plan, _ camera: LocalCamera, _ onPhoto: (PhotoRecord) -> Void) async throws {
        if plan.bracket.variesExposure, camera.device.needsLearning {
            let seconds = (camera.device.usualCalibrationDuration + 999_999_999) / 1_000_000_000
            Output.words("volley-node: learning the camera's delays and response first, about \(seconds) s")
        }
        var ids = UniqueIDAllocator()
        let id = ids.next(at: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()))
        let prepared = try await camera.output.prepare(
            plan.settings(id))
        var sequence = 0
        for await timed in try camera.output.fire(prepared) {
            sequence += 1
            var event = CaptureEvent(timed, uniqueID: id, sequence: sequence)
            if case .didFinishProcessingPhoto(let photo) = timed.event {
                let record = keep(photo, id)
                event.photo = record
                onPhoto(record)
            }
            try Output.json(ShotDocument(event, path: event.photo.flatMap { path(of: $0, id) }), isLine: true)
        }
    }

    /// Checks that the photos can be kept, before anything is exposed.
    private static func checkFolder(_ path: String) throws(SystemError) {
        try PosixFileSystem().makeFolders(path)
        guard access(path, W_OK | X_OK) == 0 else { throw .last("access", path) }
    }

    private func path(of photo: PhotoRecord, _ id: UniqueID) -> String? {
        output.map { "\($0)/\(id)_\(photo.sequenceCount).\(photo.format.pathExtension)" }
    }

    /// Writes a photo's file.
    ///
    /// - Returns: the photo's record, with what was written.
    private func keep(_ photo: Photo, _ id: UniqueID) -> PhotoRecord {
        var record = photo.record
        guard let bytes = photo.fileData else { return record }
        record.file = PhotoFile(
            byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: photo.dimensions,
            imageUniqueID: photo.imageUniqueID)
        if let path = path(of: record, id) {
            do {
                try PosixFileSystem().writeDurably(bytes, to: path)
            } catch {
                (record.file, record.exposureStart) = (nil, nil)
                record.error = CaptureError(.storageFailed, "The photo could not be kept: \(error)")
            }
        }
        return record
    }
}
