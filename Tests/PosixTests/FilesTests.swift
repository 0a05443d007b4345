import Foundation
import Posix
import Testing

@Suite("The machine's own files")
struct FilesTests {
    @Test("are renamed unless somebody else's file has the name")
    func rename() throws {
        let folder = NSTemporaryDirectory() + "/volley-files-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = PosixFileSystem()
        for (name, text) in [("part", "new"), ("taken", "theirs")] {
            try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
        }
        #expect(try !files.renameUnlessTaken(folder + "/part", to: folder + "/taken"))
        #expect(try String(contentsOfFile: folder + "/taken", encoding: .utf8) == "theirs")
        #expect(try files.renameUnlessTaken(folder + "/part", to: folder + "/free"))
        #expect(try String(contentsOfFile: folder + "/free", encoding: .utf8) == "new")
        #expect(try files.byteCount(of: folder + "/part") == nil)
        #expect(throws: SystemError.self) { try files.renameUnlessTaken(folder + "/part", to: folder + "/other") }
    }
}
