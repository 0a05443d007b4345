import CaptureModel
import DurableFiles
import Foundation
import PhotoCapture
import PhotoEncoding
import PhotoExport
import Posix
import SimulatedCamera

/// Photos into an export's folder, from the plan to the manifest: linked against `cp -l`, and with tags against exiftool
/// in batch mode, in turn.
enum ExportBenchmark {
    private static let rounds = 7
    private static let (linkedCount, taggedCount) = (10_000, 1000)

    static func run() throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-export-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let photos = try originals(linkedCount, in: folder + "/library")
        let few = Array(photos.prefix(taggedCount))
        let fewFolder = folder + "/few"
        try FileManager.default.createDirectory(atPath: fewFolder, withIntermediateDirectories: true)
        for photo in few {
            let name = (photo.source as NSString).lastPathComponent
            try FileManager.default.copyItem(atPath: photo.source, toPath: "\(fewFolder)/\(name)")
        }
        var (linked, tagged): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            // What one has left to be written back is not the other's.
            sync()
            let mine = try time { try export(photos, .colmap, to: "\(folder)/colmap-\(round)") }
            sync()
            let peer = time { shell("cp", "-rl", folder + "/library", "\(folder)/cp-\(round)") }
            linked.append(Double(peer) / Double(mine))
            let added = try time { try export(few, .odm, to: "\(folder)/odm-\(round)") }
            let rewritten = time {
                shell("exiftool", "-q", "-q", "-XMP-xmp:Label=rig", "-o", "\(folder)/exiftool-\(round)/", fewFolder)
            }
            tagged.append(Double(rewritten) / Double(added))
            print("     links \(mine / 1_000_000) ms, cp -l \(peer / 1_000_000) ms; ", terminator: "")
            print("tags \(added / 1_000_000) ms, exiftool \(rewritten / 1_000_000) ms")
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [
            Result(
                name: "export: \(linkedCount) photos linked, over cp -l, median of \(rounds)",
                value: linked.sorted()[rounds / 2], unit: "x", threshold: 0.9 ... .infinity),
            Result(
                name: "export: \(taggedCount) photos with tags, over exiftool, median of \(rounds)",
                value: tagged.sorted()[rounds / 2], unit: "x", threshold: 0.9 ... .infinity),
            Result(
                name: "export: the most memory", value: Double(usage.ru_maxrss) / 1024, unit: " MiB", threshold: 0...200
            ),
        ]
    }

    private static func export(_ photos: [ExportPhoto], _ layout: ExportLayout, to folder: String) throws {
        var exporter = try Exporter(folder: folder, ExportManifest(layout: layout, format: .jpeg), links: true)
        let plan = try exporter.plan(photos)
        try exporter.begin(plan)
        var rest = plan.entries[...]
        while !rest.isEmpty {
            for case .failed(let message) in try exporter.place(rest.prefix(500)) { preconditionFailure(message) }
            rest = rest.dropFirst(500)
        }
        let changed = try exporter.finish()
        precondition(changed.isEmpty)
    }

    private static func originals(_ count: Int, in folder: String) throws -> [ExportPhoto] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let size = Dimensions(width: 640, height: 480)
        let exposure = Exposure(duration: ExposureDuration(nanoseconds: 8_000_000), iso: 100)
        let picture = SimulatedSensor(seed: 1, dimensions: size).picture(ControlValues(exposure), frame: 0)
        let metadata = PhotoMetadata(
            make: "Volley", model: "Simulated Camera", bodySerialNumber: "S", software: "benchmark",
            takenAt: 1_800_000_000_000_000, exposure: exposure, exposureBias: nil, isBracketed: false,
            captureID: UniqueID(rawValue: 1), sequenceCount: 1, imageUniqueID: String(repeating: "0", count: 32))
        let bytes = try JPEGFile.assemble(JPEGEncoder.encode(picture), metadata: metadata, dimensions: size)
        let file = PhotoFile(
            byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: size, imageUniqueID: metadata.imageUniqueID)
        return try (0..<count).map { index in
            let source = "\(folder)/\(index).jpg"
            try Data(bytes).write(to: URL(fileURLWithPath: source))
            return photo(index, file, source)
        }
    }

    /// One of a rig of a hundred cameras.
    private static func photo(_ index: Int, _ file: PhotoFile, _ source: String) -> ExportPhoto {
        let id = UniqueID(rawValue: 1_800_000_000_000_000 + Int64(index / 100))
        let summary = CaptureSummary(
            uniqueID: id, state: .complete, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: id.rawValue), nodeCount: 100, expectedPhotoCount: 100, storedPhotoCount: 100)
        let requested = ResolvedExposure(
            sequenceCount: 1, exposureTargetBias: nil, duration: ExposureDuration(nanoseconds: 8_000_000), iso: 100)
        var record = PhotoRecord(photoCount: 1, sequenceCount: 1, format: .jpeg, requested: requested)
        record.file = file
        guard let node = NodeName("node-\(index % 100)"),
            let photo = ExportPhoto(
                StoredPhoto(node: node, record: record, path: source), of: summary, plan: nil, camera: nil,
                source: source)
        else { preconditionFailure("it has a name and a file") }
        return photo
    }

    private static func time(_ body: () throws -> Void) rethrows -> Int64 {
        let start = Clocks.monotonicNanoseconds()
        try body()
        return Clocks.monotonicNanoseconds() - start
    }

    private static func shell(_ words: String...) {
        precondition(Child(["/usr/bin/env"] + words).wait(), "\(words[0]) failed")
    }
}
