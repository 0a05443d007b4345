import CRawCatalogue
import CaptureModel
import Catalogue
import Foundation
import Posix

/// Writing events and photos into the catalogue, against a loop in C: the same schema, durability and groups.
enum CatalogueBenchmark {
    private static let rounds = 9
    private static let captures = 20
    private static let nodes = 8
    private static let steps = 8
    private static let batch = 100
    private static let epoch: Int64 = 1_800_000_000_000_000

    static func run() async throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-catalogue-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ours = try Catalogue(path: folder + "/ours.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        var ratios: [Double] = []
        for round in 0..<rounds {
            let first = epoch + Int64(round * captures)
            let theirs = try Catalogue(path: folder + "/raw.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
            for catalogue in [ours, theirs] { try await catalogue.commit(try accepted(first)) }
            // In turn, so that whatever else the disk does meets both.
            let changes = (0..<captures).flatMap { capture(UniqueID(rawValue: first + Int64($0))) }
            let batches = grouped(changes)
            var start = Clocks.monotonicNanoseconds()
            for batch in batches { try await ours.commit(batch) }
            let mine = Double(Clocks.monotonicNanoseconds() - start)
            start = Clocks.monotonicNanoseconds()
            let count = raw_ingest(
                folder + "/raw.sqlite", first, Int32(captures), Int32(nodes), Int32(steps), Int32(batch))
            let raw = Double(Clocks.monotonicNanoseconds() - start)
            precondition(count == Int64(changes.count))
            ratios.append(raw / mine)
            print(
                "     \(Int(Double(count) / mine * 1e9)) changes a second, the loop \(Int(Double(count) / raw * 1e9))")
        }
        return [
            Result(
                name: "catalogue: changes a second in groups of \(batch), over a loop in C, median",
                value: ratios.sorted()[rounds / 2], unit: "", threshold: 0.7 ... .infinity)
        ]
    }

    /// Groups of changes, of many captures after an id.
    static func changes(from first: Int64) throws -> [[CatalogueChange]] {
        try (0..<200).flatMap { round -> [[CatalogueChange]] in
            let first = first + Int64(round * captures)
            let all = (0..<captures).flatMap { capture(UniqueID(rawValue: first + Int64($0))) }
            return [try accepted(first)] + grouped(all)
        }
    }

    private static func grouped(_ changes: [CatalogueChange]) -> [[CatalogueChange]] {
        stride(from: 0, to: changes.count, by: batch).map { Array(changes[$0..<min($0 + batch, changes.count)]) }
    }

    private static var names: [NodeName] { (0..<nodes).compactMap { NodeName("node-\($0)") } }

    private static func accepted(_ first: Int64) throws -> [CatalogueChange] {
        names.map { .node(name: $0, nil, at: UTCTime(rawValue: epoch)) }
            + (try (0..<captures).map { index in
                .capture(
                    NewCapture(
                        uniqueID: UniqueID(rawValue: first + Int64(index)), requestID: "\(first + Int64(index))",
                        firedBy: "ada", plan: try Plan(name: "p", bracket: .burst(steps)),
                        createdAt: UTCTime(rawValue: first),
                        nodes: names))
            })
    }

    private static func capture(_ id: UniqueID) -> [CatalogueChange] {
        names.flatMap { node -> [CatalogueChange] in
            var sequence = 0
            func event(_ kind: CaptureEventKind, _ step: Int? = nil, _ photo: PhotoRecord? = nil) -> CatalogueChange {
                sequence += 1
                return .event(
                    node: node,
                    CaptureEvent(
                        uniqueID: id, sequence: sequence, kind: kind,
                        time: MonotonicTime(nanoseconds: Int64(sequence) * 1000),
                        rigTime: RigTime(nanoseconds: Int64(sequence) * 1000), sequenceCount: step, photo: photo))
            }
            return [event(.willBeginCapture)]
                + (1...steps).flatMap { [event(.willCapturePhoto, $0), event(.didCapturePhoto, $0)] }
                + (1...steps).flatMap { step in
                    [
                        event(.didFinishProcessingPhoto, step, photo(step)),
                        .photoStored(
                            PhotoID(uniqueID: id, node: node, photoCount: step),
                            path: "photos/2027-01-15/\(id)/\(node)_\(id)_0\(step).jpg",
                            at: UTCTime(rawValue: id.rawValue)),
                    ]
                } + [event(.didFinishCapture)]
        }
    }

    private static func photo(_ step: Int) -> PhotoRecord {
        let requested = ResolvedExposure(
            sequenceCount: step, exposureTargetBias: nil, duration: ExposureDuration(nanoseconds: 1_000_000), iso: nil)
        var record = PhotoRecord(photoCount: step, sequenceCount: step, format: .jpeg, requested: requested)
        record.file = PhotoFile(
            byteCount: 2_000_000, sha256: String(repeating: "a", count: 64),
            dimensions: Dimensions(width: 4056, height: 3040), imageUniqueID: String(repeating: "a", count: 32))
        record.frameSequence = UInt32(step)
        record.exposureStartRigTime = RigTime(nanoseconds: Int64(step))
        record.exposureStartUncertaintyNanoseconds = 1000
        record.applied = Exposure(duration: ExposureDuration(nanoseconds: 1_000_000))
        record.brightness = 0.25
        return record
    }
}
