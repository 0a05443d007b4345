import Foundation
import Posix
import Testing

@Suite("The machine's own files")
struct FilesTests {
    @Test("are not appended to where somebody's link leads elsewhere")
    func links() throws {
        let folder = NSTemporaryDirectory() + "/volley-files-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "theirs".write(toFile: folder + "/theirs", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: folder + "/a.part", withDestinationPath: folder + "/theirs")
        #expect(throws: SystemError.self) { try PosixFileSystem().open(folder + "/a.part", .append) }
        #expect(try String(contentsOfFile: folder + "/theirs", encoding: .utf8) == "theirs")
    }

    @Test("are on a file system that has a name")
    func mounts() {
        #expect(Mount(of: "/proc/self")?.kind == "proc")
        #expect(Mount(of: "/nowhere/at/all") == nil)
    }

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
