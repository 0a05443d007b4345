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
            while the rig runs. The exit status is 1 if any photo has no copy there now.
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
                let hashes = try await engine.copy(photos.map(\.path))
                let good = photos.filter { hashes[$0.path] == $0.sha256 }
                let bad = photos.filter { hashes[$0.path] != $0.sha256 }
                try await catalogue.noteCopies(
                    of: good.map(\.id), at: place, verifiedAt: .now, missing: bad.map(\.id))
                copied += good.count
                failed += bad.map { "\($0.path): " + (hashes[$0.path] == nil ? "not there" : "another file") }
                last = end.id
            }
            let (stored, copies) = try await catalogue.copyCounts()
            for line in failed { Output.words(line) }
            Output.words(
                "\(Sentences.count(copied, "photo")) copied and read back; \(place) has \(copies[place] ?? 0) of \(stored)."
            )
            if !failed.isEmpty {
                Output.words("If those here are damaged, `volley verify \(library)` says so.")
                throw ExitCode(ExitStatus.failed)
            }
        }
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

    /// Copies files with the archives beside them, and reads them back.
    ///
    /// - Parameter paths: relative to the library.
    /// - Returns: the hashes of those that are there.
    func copy(_ paths: [String]) async throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-copy-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (list, hashes) = (folder.appendingPathComponent("list"), folder.appendingPathComponent("hashes"))
        let archives = Set(paths.map { path in path.split(separator: "/").dropLast().joined(separator: "/") })
            .map { $0 + "/capture.json" }
        try (paths + archives).joined(separator: "\n").write(to: list, atomically: false, encoding: .utf8)
        let files = "--files-from-raw \(quoted(list.path))"
        // What lies there and differs is replaced, by its contents: times and sizes are not to be trusted in an archive.
        let copying = "rclone copy --checksum \(files) \(quoted(library)) \(quoted(place))"
        guard try await run(copying) == 0 else { throw stopped(copying) }
        let reading = "rclone hashsum sha256 --download \(files) \(quoted(place)) >\(quoted(hashes.path))"
        guard try await run(reading) == 0 else { throw stopped(reading) }
        let lines = try String(contentsOf: hashes, encoding: .utf8).split(separator: "\n")
        // As sha256sum writes them: the hash, two spaces, the path.
        return Dictionary(
            lines.compactMap { line in
                line.count > 66 ? (String(line.dropFirst(66)), String(line.prefix(64))) : nil
            }, uniquingKeysWith: { $1 })
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
