import CaptureModel
import Catalogue
import Foundation
import Library
import LibraryCare
import Testing

@Suite("Photos that a former run left half-way")
struct PartialsTests {
    @Test("are kept where somebody waits for them, and removed where nobody does")
    func settled() async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let catalogue = try Catalogue(inMemory: "partials", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let capture = NewCapture(
            uniqueID: id, requestID: "r", firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(4)),
            createdAt: UTCTime(rawValue: id.rawValue), nodes: ["a"])
        var changes: [CatalogueChange] = [.node(name: "a", nil, at: 1), .capture(capture)]
        for count in [1, 2, 4] {
            var record = PhotoRecord(
                photoCount: count, sequenceCount: count, format: .jpeg,
                requested: ResolvedExposure(sequenceCount: count, exposureTargetBias: nil, duration: nil, iso: nil))
            record.file = PhotoFile(
                byteCount: 9, sha256: String(repeating: "a", count: 64), dimensions: Dimensions(width: 1, height: 1),
                imageUniqueID: "x")
            let event = CaptureEvent(
                uniqueID: id, sequence: min(count, 3), kind: .didFinishProcessingPhoto,
                time: MonotonicTime(nanoseconds: 1),
                sequenceCount: count, photo: record)
            changes.append(.event(node: "a", event))
        }
        // What a node owes that is lost, until it comes back.
        let lost = CaptureError(.nodeUnreachable, "lost")
        let keys = (1...4).map { PhotoID(uniqueID: id, node: "a", photoCount: $0) }
        changes.append(.photoFailed(keys[3], PhotoSlot(sequenceCount: 4, format: .jpeg), lost))
        changes.append(.photoStored(keys[0], path: "p", at: 1))
        try await catalogue.commit(changes)

        let library = try Library(root: root)
        // One is stored, one waits, of one the catalogue has not heard yet, and one may still come.
        for key in keys { try await library.append([1, 2, 3], to: key, at: 0) }
        #expect(try await library.partials(for: catalogue) == [keys[1]: 3, keys[2]: 3, keys[3]: 3])
        #expect(try await library.partials().keys.sorted() == Array(keys[1...]))
    }
}
