import CaptureModel
import Foundation
import Posix
import Spool
import Testing

@Suite("The spool of another release")
final class ReleaseTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// What 0.1 wrote stays as it is in here, and every later release reads it.
    @Test("is read: a journal of 0.1")
    func journal() async throws {
        let frozen = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Release-0.1/events.jsonl")
        let bytes = try Data(contentsOf: frozen)
        let line = try #require(bytes.split(separator: 0x0A).first)
        let id = try JSONDecoder().decode(CaptureEvent.self, from: line).uniqueID
        try FileManager.default.createDirectory(atPath: "\(root)/\(id)", withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: "\(root)/\(id)/events.jsonl"))
        let remains = try #require(try await Spool(root: root).remains().first)
        #expect(remains.damages.isEmpty && remains.events.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(remains.events.map(\.kind) == CaptureEventKind.allCases)
        let photo = try #require(remains.events[3].photo)
        #expect(photo.file?.byteCount == 62446 && photo.verification == .verified)
        #expect(photo.exposureStart?.source == .startOfExposure && photo.applied?.duration?.nanoseconds == 4_000_000)
        #expect(remains.events[0].resolvedSettings?.expectedPhotoCount == 1)
    }

    @Test("is left alone where it is a later one")
    func later() throws {
        _ = try Spool(root: root)
        let file = URL(fileURLWithPath: root + "/version")
        #expect(try String(contentsOf: file, encoding: .utf8) == "1\n")
        try Data("2\n".utf8).write(to: file)
        let error = #expect(throws: SystemError.self) { try Spool(root: self.root) }
        #expect(error?.call == "version" && error?.subject == root)
        // A crash left it empty.
        try Data().write(to: file)
        _ = try Spool(root: root)
        #expect(try String(contentsOf: file, encoding: .utf8) == "1\n")
    }
}
