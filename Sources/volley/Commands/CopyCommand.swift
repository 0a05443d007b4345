import ArgumentParser
import CaptureModel
import Catalogue
import Foundation
import LibraryCare
import Posix
import Programs

/// `volley copy`.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Keeps a library's photos a second time, and knows which of them are there.",
        discussion: """
            rclone copies them, with the archives beside them: PLACE is a folder, such as a NAS that is mounted, or REMOTE:PATH \
            as `rclone config` has set it up. Each is read back from there and compared with its hash in the catalogue \
            before it counts as copied. What has been copied is left alone, so the command can run every hour; it works \
            while the rig runs. What is damaged here replaces no copy. The exit status is 1 if a photo has no copy there \
            now, or is damaged here.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "Where to, as rclone names it.") var place: String
    @Flag(help: "Read back what was copied before as well, and copy again what is no longer what it was.")
    var again = false

    func validate() throws {
        if place.isEmpty || place.hasPrefix("-") { throw ValidationError("'\(place)' is no place.") }
    }

    func run() async throws {
        try await Output.reporting {
            _ = try LibraryMaintenance.catalogue(of: library)
            let catalogue = try Catalogue(annotating: library + "/catalogue.sqlite")
            let engine = CopyEngine(library: library, place: place)
            try await engine.check()
            var (copied, failed): (Int, [String]) = (0, [])
            var last: PhotoID?
            while true {
                let photos = try await catalogue.photos(
                    withoutCopyAt: place, isAgain: again, after: last, limit: Self.batch)
                guard let end = photos.last else { break }
                let here = try await engine.hashes(of: photos.map(\.path), at: library)
                // What is damaged here must not take the place of a copy that is whole.
                let whole = photos.filter { here[$0.path] == $0.sha256 }
                try await engine.copy(whole.map(\.path))
                let there = try await engine.hashes(of: photos.map(\.path), at: place)
                let good = photos.filter { there[$0.path] == $0.sha256 }
                let bad = photos.filter { there[$0.path] != $0.sha256 }
                try await catalogue.noteCopies(
                    of: good.map(\.id), at: place, verifiedAt: .now, missing: bad.map(\.id))
                for photo in photos where here[photo.path] != photo.sha256 || there[photo.path] != photo.sha256 {
                    failed.append("\(photo.path): " + Self.words(photo.sha256, here[photo.path], there[photo.path]))
                }
                copied += good.count
                last = end.id
            }
            let (stored, copies) = try await catalogue.copyCounts()
            for line in failed { Output.words(line) }
            Output.words(
                "\(Sentences.count(copied, "photo")) copied and read back; \(place) has \(copies[place] ?? 0) of \(stored)."
            )
            if !failed.isEmpty {
                Output.words(
                    "Put a copy that is whole in the place of what is damaged here; `volley verify --repair` takes it up."
                )
                throw ExitCode(ExitStatus.failed)
            }
        }
    }

    private static func words(_ hash: String, _ here: String?, _ there: String?) -> String {
        if here == hash { return there == nil ? "not there" : "another file there" }
        let damage = here == nil ? "missing here" : "damaged here"
        return damage + (there == hash ? "; the copy is whole" : ", and no copy of it there")
    }

    /// As many as are copied before what has arrived is written down.
    private static let batch = 500
}

/// rclone, which knows every kind of place.
private struct CopyEngine {
    let library: String
    let place: String

    func check() async throws {
        guard try await run("command -v rclone >/dev/null") == 0 else {
            Output.words("volley: rclone is not installed; `apt-get install rclone`.")
            throw ExitCode(ExitStatus.unavailable)
        }
    }

    /// Copies files, with the archives beside them.
    ///
    /// - Parameter paths: relative to the library.
    func copy(_ paths: [String]) async throws {
        let folders = Set(paths.map { path in path.split(separator: "/").dropLast().joined(separator: "/") })
        try await withList(of: paths + folders.map { $0 + "/capture.json" }) { list in
            // By contents: whoever changes a file can leave its time and size.
            let command = "rclone copy --checksum \(list) \(quoted(library)) \(quoted(place))"
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
            let command = "rclone hashsum sha256 --download \(list) \(quoted(place)) >\(quoted(file.path))"
            guard try await run(command) == 0 else { throw stopped(command) }
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
        return try await body("--files-from-raw \(quoted(file.path))")
    }

    private func stopped(_ command: String) -> ExitCode {
        Output.words("volley: rclone failed; what it had copied before is written down. It was: \(command)")
        return ExitCode(ExitStatus.failed)
    }

    private func run(_ command: String) async throws -> Int32 {
        try await OSThread.run(name: "rclone") { try ShellCommand.run(command) }
    }

    private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
