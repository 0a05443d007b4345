import ArgumentParser
import CaptureModel
import Catalogue
import LibraryCare
import Programs

/// `volley verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every photo of a library and checks it against the catalogue.",
        discussion: """
            Works while a coordinator runs; `volley status` then says what was found. --repair needs the coordinator stopped: what is wrong is repaired or moved \
            aside, and what is lost comes again from the nodes that still have it once the coordinator is back. Exit \
            status: 0 all is well, or was repaired; 1 problems remain; 2 it was repaired, but photos were lost.
            """)

    @Argument(help: "The library.") var library: String
    @Flag(help: "Repair what can be repaired; move the rest aside.") var repair = false
    @Flag(help: "With --repair: where the library has no photos at all, count them as lost.") var photosGone = false
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        let captures: Int
        /// Over all captures: how many were expected, are stored, are still to come, are lost, and were deleted.
        let expectedPhotos, storedPhotos, awaitedPhotos, lostPhotos, deletedPhotos: Int
        /// The others of captures that are still to be fired, or were cancelled.
        let untakenPhotos: Int
        let problems: [String]
        let done: [String]
        /// Files among the photos that are not Volley's.
        let foreignFiles: [String]

        init(_ verdict: LibraryMaintenance.Verdict) {
            captures = verdict.captureCount
            (expectedPhotos, storedPhotos) = (verdict.photos.expected, verdict.photos.stored)
            (awaitedPhotos, lostPhotos) = (verdict.photos.awaited, verdict.photos.lost)
            (deletedPhotos, untakenPhotos) = (verdict.photos.deleted, verdict.photos.untaken)
            (problems, done) = (verdict.problems, verdict.repairs.map(\.description))
            foreignFiles = verdict.foreign
        }
    }

    func validate() throws {
        if photosGone, !repair { throw ValidationError("--photos-gone goes with --repair.") }
    }

    func run() async throws {
        try await Output.reporting {
            let maintenance = try LibraryMaintenance(library, areGone: photosGone)
            var bar = ProgressBar()
            let show = { (done: Int, total: Int) in bar.show(done, of: total, "checked", of: "captures") }
            let verdict: LibraryMaintenance.Verdict
            do {
                verdict =
                    repair
                    ? try await maintenance.repair(areGone: photosGone, onProgress: show)
                    : try await maintenance.verify(onProgress: show)
            } catch {
                try? maintenance.keep(brokenOff: error)
                throw error
            }
            bar.finish()
            do { try maintenance.keep(verdict) } catch {
                Output.words("`volley status` will not know of this check: \(error)")
            }
            if json { try Output.json(Document(verdict)) } else { tell(verdict) }
            if verdict.leftCount > 0 { throw ExitCode(ExitStatus.failed) }
            try verdict.repairs.exit()
        }
    }

    private func tell(_ verdict: LibraryMaintenance.Verdict) {
        for problem in verdict.problems { Output.data(problem) }
        for repair in verdict.repairs { Output.words("\(repair)") }
        if let first = verdict.foreign.first {
            let others = verdict.foreign.count > 1 ? " and \(verdict.foreign.count - 1) more" : ""
            Output.words("Left alone, as not Volley's: \(first.printableLine)\(others) (--json lists them).")
        }
        let photos = verdict.photos
        let lacking = [
            (photos.lost, "lost"), (photos.awaited, "still to come from nodes"), (photos.failed, "failed"),
            (photos.deleted, "deleted"), (photos.untaken, "of captures that are still to be fired or were cancelled"),
        ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
        let left = verdict.leftCount == 0 ? "none" : "\(verdict.leftCount)"
        Output.words(
            "\(Sentences.count(verdict.captureCount, "capture")), \(photos.stored) of \(photos.expected) photos: "
                + (verdict.problems.isEmpty
                    ? "library and catalogue agree."
                    : Sentences.count(verdict.problems.count, "problem") + (repair ? ", \(left) left." : "."))
                + (lacking.isEmpty
                    ? ""
                    : " Of the others \(lacking.joined(separator: ", ")); `volley captures --library \(library)` lists "
                        + "the captures."))
    }
}
