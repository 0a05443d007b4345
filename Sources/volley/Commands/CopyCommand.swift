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
            The first time, --new-place leaves a file `.volley-copy` there. Where that is missing later, as in a mount point \
            without its disk, nothing is copied, and the exit status is 69. Of disks that take turns at one place, each is \
            known by its own.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "Where to, as rclone names it.") var place: String
    @Flag(help: "Read back what was copied before as well, and copy again what is no longer what it was.")
    var again = false
    @Flag(help: "Begin to keep copies there, or begin anew.") var newPlace = false

    func validate() throws {
        if place.isEmpty || place.hasPrefix("-") { throw ValidationError("'\(place)' is no place.") }
    }

    func run() async throws {
        try await Output.reporting {
            _ = try LibraryMaintenance.catalogue(of: library)
            let catalogue = try Catalogue(annotating: library + "/catalogue.sqlite")
            let engine = CopyEngine(library: library, place: place)
            try await engine.check()
            if newPlace, try await engine.mark() == nil { try await engine.makeMark() }
            guard let mark = try await engine.mark() else { throw Self.unmarked(engine.place) }
            // Rows tell one disk from another that is mounted in its place.
            let place = "\(engine.place) \(mark.prefix(8))"
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
                let there = try await engine.hashes(of: photos.map(\.path) + [CopyEngine.markName], at: engine.place)
                guard there[CopyEngine.markName] == mark else { throw Self.unmarked(engine.place) }
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
            let stored = try await catalogue.photoCounts().stored
            let standing = try await catalogue.copies().first { $0.place == place }
            for line in failed { Output.words(line) }
            Output.words(
                "\(Sentences.count(copied, "photo")) copied and read back; \(engine.place) has \(standing?.photoCount ?? 0) "
                    + "of \(stored).")
            if !again, let oldest = standing?.oldestReadAt, UTCTime.now - oldest > Self.longAgo {
                Output.words(
                    "Some were last read back at \(Sentences.zonedTime(oldest)); --again rereads all of them."
                )
            }
            if !failed.isEmpty {
                Output.words(
                    "Put a copy that is whole in the place of what is damaged here; `volley verify --repair` takes it up."
                )
                throw ExitCode(ExitStatus.failed)
            }
        }
    }

    private static func unmarked(_ place: String) -> ExitCode {
        Output.words(
            """
            volley: There is no file \(CopyEngine.markName) in \(place), so this is no place for copies. Is its disk mounted? \
            If copies are to be kept here from now on, say so once with --new-place.
            """)
        return ExitCode(ExitStatus.unavailable)
    }

    private static func words(_ hash: String, _ here: String?, _ there: String?) -> String {
        if here == hash { return there == nil ? "not there" : "another file there" }
        let damage = here == nil ? "missing here" : "damaged here"
        return damage + (there == hash ? "; the copy is whole" : ", and no copy of it there")
    }

    /// What was read back longer ago than this is told, in nanoseconds: disks that nobody reads rot unseen.
    private static let longAgo = Int64.seconds(30 * 86_400)

    /// As many as are copied before what has arrived is written down.
    private static let batch = 500
}
