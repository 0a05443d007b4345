import Foundation
import Posix
import RigMembership
import Testing

@Suite("A coordinator's state")
struct StateFolderTests {
    private let files = FileManager.default
    private let path = NSTemporaryDirectory() + "/volley-state-\(UUID())"

    private func make() throws {
        for folder in ["administrators", "nodes"] {
            try files.createDirectory(atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
        }
        for name in ["coordinator.key", "coordinator.pub", "administrators/me.pub"] {
            try "x".write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
        }
        try mode(0o755, "")
        try mode(0o600, "coordinator.key")
    }

    private func mode(_ mode: Int, _ name: String) throws {
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    private func mode(of name: String) throws -> Int? {
        try files.attributesOfItem(atPath: name)[.posixPermissions] as? Int
    }

    @Test(
        "is neither copied nor put back where it holds what leads elsewhere or never ends", arguments: ["link", "pipe"])
    func strange(kind: String) throws {
        defer { for place in [path, path + ".copy"] { try? files.removeItem(atPath: place) } }
        try make()
        let place = path + "/administrators/evil.pub"
        if kind == "link" {
            try files.createSymbolicLink(atPath: place, withDestinationPath: "/etc/passwd")
        } else {
            #expect(mkfifo(place, 0o600) == 0)
        }
        let error = #expect(throws: SystemError.self) { try StateFolder(path).copy(to: path + ".copy") }
        #expect(error?.description.contains(place) == true)
        #expect(!files.fileExists(atPath: path + ".copy"))
    }

    @Test("is put in its place without a look at what a planted link leads to")
    func plantedPart() throws {
        let (target, theirs) = (path + ".here", path + ".theirs")
        defer { for place in [path, target, theirs, target + ".part"] { try? files.removeItem(atPath: place) } }
        try make()
        try files.createDirectory(atPath: theirs, withIntermediateDirectories: true)
        try "mine".write(toFile: theirs + "/photo", atomically: false, encoding: .utf8)
        try files.createSymbolicLink(atPath: target + ".part", withDestinationPath: theirs)
        #expect(try StateFolder(target).replace(with: StateFolder(path), ownedLike: path) == nil)
        #expect(try String(contentsOfFile: theirs + "/photo", encoding: .utf8) == "mine")
        #expect(StateFolder(target).isThere)
    }

    @Test("gets the modes that its kinds of files have, whatever a stick made of them")
    func modes() throws {
        defer { for place in [path, path + ".copy"] { try? files.removeItem(atPath: place) } }
        try make()
        for name in ["", "administrators", "nodes", "coordinator.key", "coordinator.pub", "administrators/me.pub"] {
            try mode(0o777, name)
        }
        try StateFolder(path).copy(to: path + ".copy")
        #expect(try mode(of: path + ".copy") == 0o750)
        #expect(try mode(of: path + ".copy/administrators") == 0o750)
        #expect(try mode(of: path + ".copy/coordinator.key") == 0o600)
        #expect(try mode(of: path + ".copy/administrators/me.pub") == 0o644)
        #expect(StateFolder(path + ".copy").exposure() == nil)
    }

    @Test(
        "is not relied on where any user could make himself an administrator",
        arguments: [
            "", "administrators", "administrators/me.pub", "nodes",
        ])
    func exposure(name: String) throws {
        defer { try? files.removeItem(atPath: path) }
        try make()
        #expect(StateFolder(path).exposure() == nil)
        try mode(0o777, name)
        #expect(StateFolder(path).exposure()?.contains("chmod o-w") == true)
        // What a link leads to counts, too.
        guard name == "administrators" else { return }
        try files.moveItem(atPath: "\(path)/\(name)", toPath: path + ".elsewhere")
        defer { try? files.removeItem(atPath: path + ".elsewhere") }
        try files.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: path + ".elsewhere")
        #expect(StateFolder(path).exposure()?.contains("chmod o-w") == true)
    }
}
