import CaptureModel
import Catalogue
import Foundation

/// A place for a catalogue, gone with its test.
final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID()).sqlite").path

    /// A catalogue there, with two nodes.
    func open() async throws -> Catalogue {
        let catalogue = try Catalogue(
            path: path, startedAt: UTCTime(rawValue: id.rawValue), rigTime: RigTime(nanoseconds: 0))
        try await catalogue.commit([.node(name: "a", nil, at: 1), .node(name: "b", nil, at: 1)])
        return catalogue
    }

    deinit {
        for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }
}

/// The capture that tests speak of.
let id = UniqueID(rawValue: 1_800_000_000_000_000)

func capture(_ number: Int64 = 0, session: String? = nil, labels: [String: String] = [:]) throws
    -> CatalogueChange
{
    .capture(
        NewCapture(
            uniqueID: UniqueID(rawValue: id.rawValue + number), requestID: "r\(number)", firedBy: "ada",
            plan: Plan(
                name: "hdr-3", bracket: try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) })),
            session: session, labels: labels,
            createdAt: UTCTime(rawValue: id.rawValue + number), nodes: ["a", "b"]))
}

func photoID(_ node: NodeName, _ photoCount: Int) -> PhotoID {
    PhotoID(uniqueID: id, node: node, photoCount: photoCount)
}

func photo(_ count: Int, step: Int? = nil, start: Int64) -> PhotoRecord {
    var record = PhotoRecord(
        photoCount: count, sequenceCount: step ?? count, format: .jpeg,
        requested: ResolvedExposure(
            sequenceCount: count, exposureTargetBias: -2, duration: ExposureDuration(nanoseconds: 4_000_000), iso: 100)
    )
    record.file = PhotoFile(
        byteCount: 10, sha256: String(repeating: "a", count: 64), dimensions: Dimensions(width: 4, height: 3),
        imageUniqueID: "x")
    record.exposureStartRigTime = RigTime(nanoseconds: start)
    record.exposureStartUncertaintyNanoseconds = 100
    record.verification = .verified
    return record
}

func event(_ sequence: Int, photo: PhotoRecord) -> CaptureEvent {
    CaptureEvent(
        uniqueID: id, sequence: sequence, kind: .didFinishProcessingPhoto, time: MonotonicTime(nanoseconds: 1),
        rigTime: RigTime(nanoseconds: 2), sequenceCount: photo.sequenceCount, photo: photo)
}
