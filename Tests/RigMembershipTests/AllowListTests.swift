import CaptureModel
import Foundation
import RigMembership
import Synchronization
import Testing
import ZeroMQ

@Suite("Who may connect")
final class AllowListTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID())")
    private var path: String { folder.path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func text(_ list: AllowList) -> [String] { list.names.map(\.rawValue) }

    @Test("is who has a key in the folder, and nobody whose file was taken away")
    func membership() throws {
        let list = AllowList(folder: path)
        let key = try KeyFile.generate(at: path + "/n1").publicKey
        _ = try KeyFile.generate(at: path + "/n2")
        #expect(text(list) == ["n1", "n2"] && list.name(of: key)?.rawValue == "n1")
        try FileManager.default.removeItem(atPath: path + "/n1.pub")
        #expect(text(list) == ["n2"] && list.name(of: key) == nil)
    }

    @Test("stays as it was while the folder cannot be read, and says so once")
    func unreadable() throws {
        let problems = Mutex<[String]>([])
        let list = AllowList(folder: path) { problem in problems.withLock { $0.append(problem) } }
        _ = try KeyFile.generate(at: path + "/n1")
        _ = try KeyFile.generate(at: path + "/n2")
        #expect(text(list) == ["n1", "n2"])
        let away = path + "-away"
        try FileManager.default.moveItem(atPath: path, toPath: away)
        #expect(text(list) == ["n1", "n2"] && text(list) == ["n1", "n2"])
        #expect(problems.withLock { $0.count } == 1)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        try FileManager.default.removeItem(atPath: path + "/n1.pub")
        #expect(text(list) == ["n2"])
    }
}
