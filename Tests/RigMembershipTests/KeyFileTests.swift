import Foundation
import Glibc
import RigMembership
import TestSupport
import Testing
import ZeroMQ

@Suite("A daemon's key")
struct KeyFileTests {
    let scratch: Scratch
    private var key: String { scratch.path + "/node.key" }
    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    init() throws { scratch = try Scratch() }

    @Test("is made at its first start, for nobody else to read, and is the same at the next")
    func firstStart() throws {
        let pair = try KeyFile.loadOrGenerate(key)
        #expect(try names == ["node.key", "node.pub"])
        var status = stat()
        #expect(stat(key, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try KeyFile.loadOrGenerate(key).publicKey == pair.publicKey)
        #expect(try KeyFile.loadPublic(scratch.path + "/node.pub") == pair.publicKey)
    }

    @Test("is completed if the power went between its two files")
    func halfAPair() throws {
        let pair = try KeyFile.loadOrGenerate(key)
        try FileManager.default.removeItem(atPath: scratch.path + "/node.pub")
        #expect(try KeyFile.loadOrGenerate(key).publicKey == pair.publicKey)
        #expect(try KeyFile.loadPublic(scratch.path + "/node.pub") == pair.publicKey)
    }

    @Test("that is not there is named with the place where it was looked for")
    func missing() throws {
        let error = #expect(throws: KeyFile.KeyError.self) { try KeyFile.load("no.such.key") }
        #expect(error?.description.contains(" (relative to \(FileManager.default.currentDirectoryPath));") == true)
    }

    @Test("is never replaced: neither one that is damaged, nor one that others can read, nor one made by hand")
    func kept() throws {
        try "damaged".write(toFile: key, atomically: true, encoding: .utf8)
        chmod(key, 0o600)
        #expect(throws: KeyFile.KeyError.self) { try KeyFile.loadOrGenerate(key) }
        #expect(throws: KeyFile.KeyError.self) { try KeyFile.generate(at: scratch.path + "/node") }
        #expect(try String(contentsOfFile: key, encoding: .utf8) == "damaged" && names == ["node.key"])
    }

    @Test("is read where systemd hands it over, whose access list looks like rights of a group")
    func credential() throws {
        let pair = try KeyFile.loadOrGenerate(key)
        chmod(key, 0o440)
        #expect(throws: KeyFile.KeyError.self) { try KeyFile.load(key, credentials: nil) }
        #expect(throws: KeyFile.KeyError.self) { try KeyFile.load(key, credentials: scratch.path + "/other") }
        #expect(try KeyFile.load(key, credentials: scratch.path).publicKey == pair.publicKey)
        chmod(key, 0o444)
        #expect(throws: KeyFile.KeyError.self) { try KeyFile.load(key, credentials: scratch.path) }
    }

    @Test("that cannot be written is not there at all, and the error names it")
    func noFolder() throws {
        let error = #expect(throws: KeyFile.KeyError.self) { try KeyFile.loadOrGenerate(scratch.path + "/no/node.key") }
        #expect(error?.description.contains("/no/node.key") == true)
    }
}
