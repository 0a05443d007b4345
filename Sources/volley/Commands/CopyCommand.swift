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

            A folder must exist, and gets a file `.volley-copy`: where that is missing later, as in a mount point without \
            its disk, nothing is copied, and the exit status is 69.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "Where to, as rclone names it.") var place: String
    @Flag(
        help: """
            Read back what was copied before as well, and copy again what is no longer there, or no longer what it was.
            """)
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
            let place = engine.place
            try await checkMark(of: engine, knownCount: try await catalogue.copyCounts().copies[place] ?? 0)
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

    /// Refuses a place that is not the one that the copies went to, and marks a new one.
    private func checkMark(of engine: CopyEngine, knownCount: Int) async throws {
        if knownCount > 0, try await engine.isMarked() { return }
        guard knownCount == 0 || again else {
            Output.words(
                """
                volley: \(engine.place) has had \(Sentences.count(knownCount, "photo")) of this library, but there is no \
                file \(CopyEngine.mark) now. Is it mounted? Nothing was copied. If the copies are gone for good, or the file \
                is, --again copies what is missing.
                """)
            throw ExitCode(ExitStatus.unavailable)
        }
        try await engine.makeMark()
    }

    private static func words(_ hash: String, _ here: String?, _ there: String?) -> String {
        if here == hash { return there == nil ? "not there" : "another file there" }
        let damage = here == nil ? "missing here" : "damaged here"
        return damage + (there == hash ? "; the copy is whole" : ", and no copy of it there")
    }

    /// As many as are copied before what has arrived is written down.
    private static let batch = 500
}
