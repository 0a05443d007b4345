import ArgumentParser
import Foundation
import Posix
import Programs

/// rclone, which knows every kind of place.
struct CopyEngine {
    /// The file by which a place is known again.
    static let markName = ".volley-copy"

    let library: String
    /// A folder's absolute path, or what rclone knows by another name.
    let place: String

    init(library: String, place: String) {
        self.library = library
        self.place = Self.isRemote(place) ? place : URL(fileURLWithPath: place).path
    }

    /// Whether rclone takes it for something else than a folder here: `nas:volley`, `nas,key_file=/etc/nas.key:volley`.
    private static func isRemote(_ place: String) -> Bool {
        place.contains(":") && !place.prefix { $0 != ":" && $0 != "," }.contains("/")
    }

    /// Refuses where rclone is not installed, or a folder is not there.
    func check() async throws {
        guard try await run("command -v rclone >/dev/null") == 0 else {
            Output.words("volley: rclone is not installed; `apt-get install rclone`.")
            throw ExitCode(ExitStatus.unavailable)
        }
        guard Self.isRemote(place) || PosixFileSystem().isFolder(place) else {
            Output.words("volley: There is no folder \(place). Is its disk mounted? If it is to be new, make it first.")
            throw ExitCode(ExitStatus.unavailable)
        }
    }

    /// What the place is known by, the hash of its mark; nil where it has none.
    func mark() async throws -> String? { try await hashes(of: [Self.markName], at: place)[Self.markName] }

    /// Leaves a mark that no other place has.
    func makeMark() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-mark-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text =
            "Here `volley copy` keeps photos a second time. Where this file is missing it copies nothing.\n\(UUID())\n"
        try text.write(to: folder.appendingPathComponent(Self.markName), atomically: false, encoding: .utf8)
        let command = "rclone copy -q \(ShellCommand.quoted(folder.path)) \(ShellCommand.quoted(place))"
        guard try await run(command) == 0 else { throw stopped(command) }
    }

    /// Refuses where what is to be copied would be led elsewhere: somebody has put a link in the way.
    private func refuseLinks(to paths: [String]) throws {
        guard !Self.isRemote(place) else { return }
        var places: Set<Substring> = []
        for path in paths {
            for index in path.indices where path[index] == "/" { places.insert(path[..<index]) }
            places.insert(path[...])
        }
        for name in places.sorted() {
            let whole = "\(place)/\(name)"
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: whole)) != nil else { continue }
            Output.words(
                "volley: \(whole) is a link, and the copies would lie where it leads. Put a folder in its place.")
            throw ExitCode(ExitStatus.unavailable)
        }
    }

    /// Copies files, with the archives beside them.
    ///
    /// - Parameter paths: relative to the library.
    func copy(_ paths: [String]) async throws {
        let folders = Set(paths.map { path in path.split(separator: "/").dropLast().joined(separator: "/") })
        // From there a catalogue is rebuilt, the rig's geometry with it.
        let geometries = (try? FileManager.default.contentsOfDirectory(atPath: library + "/geometry")) ?? []
        let others = folders.map { $0 + "/capture.json" } + geometries.map { "geometry/" + $0 }
        try refuseLinks(to: paths + others)
        try await withList(of: paths + others) { list in
            // By contents: whoever changes a file can leave its time and size.
            let command =
                "rclone copy -q --checksum \(list) \(ShellCommand.quoted(library)) \(ShellCommand.quoted(place))"
            guard try await run(command) == 0 else { throw stopped(command) }
        }
    }

    /// Reads files.
    ///
    /// - Returns: the hashes of those that are there.
    func hashes(of paths: [String], at place: String) async throws -> [String: String] {
        try await withList(of: paths) { list in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("volley-hashes-\(UUID())")
            defer { try? FileManager.default.removeItem(at: file) }
            let command =
                "rclone hashsum -q sha256 --download \(list) \(ShellCommand.quoted(place)) >\(ShellCommand.quoted(file.path))"
            // 3: not even the folder is there.
            guard try await [0, 3].contains(run(command)) else { throw stopped(command) }
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            // As sha256sum writes them: the hash, two spaces, the path.
            let pairs = lines.filter { $0.count > 66 }.map { (String($0.dropFirst(66)), String($0.prefix(64))) }
            return Dictionary(pairs, uniquingKeysWith: { $1 })
        }
    }

    private func withList<Answer>(of paths: [String], _ body: (String) async throws -> Answer) async throws -> Answer {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("volley-copy-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try paths.joined(separator: "\n").write(to: file, atomically: false, encoding: .utf8)
        return try await body("--files-from-raw \(ShellCommand.quoted(file.path))")
    }

    private func stopped(_ command: String) -> ExitCode {
        Output.words("volley: rclone failed; what it had copied before is written down. It was: \(command)")
        return ExitCode(ExitStatus.failed)
    }

    private func run(_ command: String) async throws -> Int32 {
        try await OSThread.run(name: "rclone") { try ShellCommand.run(command) }
    }
}
