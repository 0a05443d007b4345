import CaptureModel
import Foundation
import TestSupport
import Testing

/// Judged by sha256sum, against the files of the library.
@Suite("Photos that are fetched from another machine", .rigTimeLimit)
struct FetchTests {
    private let rig: LocalRig
    private let id: String

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("top", seed: 1)
        try rig.awaitReady(1)
        let fired = try rig.volley("fire", "--burst", "3", "--format", "jpeg", "--format", "tiff", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func fetch(_ words: String..., to folder: String = "here") throws -> ProgramResult {
        try rig.volley(["fetch", rig.file(folder)] + (words.isEmpty ? ["--capture", id] : words))
    }

    /// The hash of each photo's file, by its name.
    private func hashes(below folder: String) throws -> [String: String] {
        let listed = try run(
            "/bin/bash", ["-c", "cd \"$0\" && find . -type f -name '*_*.*' | sort | xargs -r sha256sum", folder])
        let pairs = listed.output.split(separator: "\n").map { line in
            (String(line.split(separator: "/").last ?? ""), String(line.prefix(64)))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("are the same, are not fetched twice, and go on where they were interrupted, at any byte")
    func same() throws {
        let fetched = try fetch()
        #expect(fetched.status == 0 && fetched.errors.hasPrefix("6 photos fetched"), "\(fetched.errors)")
        let all = try hashes(below: rig.library + "/photos")
        #expect(all.count == 6)
        #expect(try hashes(below: rig.file("here")) == all)
        #expect(try fetch().errors.contains("0 photos fetched, 0 bytes, 6 were there already"))
        // What Ctrl-C, or a network that went away, leaves; and what is no part of it at all.
        let place = try #require(try rig.capture(id).photos.first?.path?.dropFirst("photos/".count))
        let path = rig.file("here/\(place)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for left in [Data(), whole.prefix(1), whole.prefix(whole.count / 2), whole, whole + [0], Data([9, 9])] {
            try FileManager.default.removeItem(atPath: path)
            try left.write(to: URL(fileURLWithPath: path + ".part"))
            let again = try fetch()
            #expect(again.status == 0 && again.errors.hasPrefix("1 photo fetched"), "\(left.count): \(again.errors)")
            #expect(try hashes(below: rig.file("here")) == all)
            #expect(!FileManager.default.fileExists(atPath: path + ".part"))
        }
        let other = try run(
            "/usr/bin/flock",
            [rig.file("here/lock"), BuiltPrograms.folder.appendingPathComponent("volley").path, "fetch"]
                + [rig.file("here"), "--capture", id], environment: rig.operatorEnvironment())
        #expect(other.status == 75 && other.errors.contains("Another command"), "\(other.errors)")
        let json = try fetch("--capture", "last", "--step", "2", "--json", to: "there")
        #expect(json.status == 0 && json.output.contains("\"fetchedPhotos\" : 2"), "\(json.output)")
    }

    @Test("are not fetched into a library or a file")
    func places() throws {
        for (place, words) in [
            (rig.library, "is a library"), (rig.library + "/photos/new", "is in the library"),
            (rig.file("operator.key"), "is a file"),
        ] {
            let told = try rig.volley("fetch", place, "--capture", "last")
            #expect(told.status == 65 && told.errors.contains(words), "\(told)")
        }
        for (words, told) in [
            (["--session", "nope"], "There is no session 'nope'"),
            (["--capture", "last", "--node", "nope"], "No such node took part, but "),
            (["--capture", "last", "--step", "9"], "There are steps 1 to 3 only."),
        ] {
            let unknown = try rig.volley(["fetch", rig.file("nope")] + words)
            #expect(unknown.status == 1 && unknown.errors.contains(told), "\(unknown)")
        }
        let early = try fetch("--until", "2020-01-01", to: "nope")
        #expect(early.status == 0 && early.errors.contains("No photo matches"), "there may be none yet: \(early)")
        #expect(!FileManager.default.fileExists(atPath: rig.file("nope")))
    }

    @Test("are not led out of their folder by a planted link")
    func planted() throws {
        let (folder, elsewhere) = (rig.file("planted"), rig.file("elsewhere"))
        for path in [folder, elsewhere] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let day = try #require(try FileManager.default.contentsOfDirectory(atPath: rig.library + "/photos").first)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(day)", withDestinationPath: elsewhere)
        let fetched = try rig.volley("fetch", folder, "--capture", id)
        #expect(fetched.status == 1 && fetched.errors.contains("\(folder)/\(day) is a link"), "\(fetched)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test("that are damaged, gone or in the way of another file are named, and the others come")
    func damaged() throws {
        let photos = try rig.capture(id).photos.compactMap(\.path)
        let rot = "printf x | dd of=\"$0\" bs=1 seek=100 conv=notrunc 2>/dev/null"
        #expect(try run("/bin/bash", ["-c", rot, "\(rig.library)/\(photos[0])"]).status == 0)
        try FileManager.default.removeItem(atPath: "\(rig.library)/\(photos[1])")
        let other = rig.file("here/\(photos[2].dropFirst("photos/".count))")
        try FileManager.default.createDirectory(
            atPath: (other as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: other))
        let fetched = try fetch()
        #expect(fetched.status == 1 && fetched.errors.contains("3 photos fetched"), "\(fetched.errors)")
        for words in ["SHA-256 is not", "No such file", "is another file"] {
            #expect(fetched.errors.contains(words), "\(fetched.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data([1]))
        #expect(try hashes(below: rig.file("here")).count == 4)
        #expect(try fetch("--json").status == 64, "not everything that there is, by mistake")
    }

    @Test(
        "onto a disk that is full wait for room, and lose nothing", .enabled(if: geteuid() == 0, "it mounts"))
    func full() throws {
        let disk = try SmallDisk(rig.file("small"), megabytes: 8)
        disk.fill()
        let refused = try fetch(to: "small")
        #expect(refused.status != 0 && refused.errors.contains("No space left"), "\(refused.errors)")
        #expect(refused.errors.contains("0 of 6 photos are in"))
        disk.free()
        let fetched = try fetch(to: "small")
        let all = try hashes(below: rig.library + "/photos")
        let size = try run("/usr/bin/du", ["-sb", rig.library + "/photos"]).output
        #expect(fetched.status == 0, "\(fetched.errors), of \(size)")
        #expect(try hashes(below: rig.file("small")) == all)
    }
}
