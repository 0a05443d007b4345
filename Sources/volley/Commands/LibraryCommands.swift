import ArgumentParser
import Catalogue
import LibraryCare
import Programs

/// `volley verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every photo of a library and checks it against the catalogue.",
        discussion: """
            Works while a coordinator runs. --repair needs the coordinator stopped: what is wrong is repaired or moved \
            aside, and what is lost comes again from the nodes that still have it once the coordinator is back. Exit \
            status: 0 all is well, or was repaired; 1 problems remain; 2 it was repaired, but photos were lost.
            """)

    @Argument(help: "The library.") var library: String
    @Flag(help: "Repair what can be repaired; move the rest aside.") var repair = false
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        let captures: Int
        /// Over all captures: how many were expected, are stored, are still to come, and are lost.
        let expectedPhotos, storedPhotos, awaitedPhotos, lostPhotos: Int
        let problems: [String]
        let done: [String]

        init(_ verdict: LibraryMaintenance.Verdict) {
            captures = verdict.captureCount
            (expectedPhotos, storedPhotos) = (verdict.photos.expected, verdict.photos.stored)
            (awaitedPhotos, lostPhotos) = (verdict.photos.awaited, verdict.photos.lost)
            (problems, done) = (verdict.problems, verdict.repairs.map(\.description))
        }
    }

    func run() async throws {
        try await Output.reporting {
            let maintenance = try LibraryMaintenance(library)
            var bar = ProgressBar()
            let show = { (done: Int, total: Int) in bar.show(done, of: total, "checked", of: "captures") }
            let verdict =
                repair ? try await maintenance.repair(onProgress: show) : try await maintenance.verify(onProgress: show)
            bar.finish()
            if json { try Output.json(Document(verdict)) } else { tell(verdict) }
            if verdict.leftCount > 0 { throw ExitCode(ExitStatus.failed) }
            try verdict.repairs.exit()
        }
    }

    private func tell(_ verdict: LibraryMaintenance.Verdict) {
        for problem in verdict.problems { Output.data(problem) }
        for repair in verdict.repairs { Output.words("\(repair)") }
        let photos = verdict.photos
        let lacking = [
            (photos.lost, "lost"), (photos.awaited, "still to come from nodes"), (photos.failed, "failed"),
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

/// `volley backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a library's catalogue as of one instant.",
        discussion: """
            Works while the rig runs. The copy is one SQLite file; photos are ordinary files, and any tool copies \
            them. `volley restore` goes back to the copy.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "The file to create.") var copy: String

    func run() async throws {
        try await Output.reporting {
            let count = try await LibraryMaintenance(library).backUp(to: copy)
            Output.words("\(Sentences.count(count, "capture")) copied to \(copy).")
        }
    }
}

/// `volley restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Goes back to a copy of a library's catalogue.",
        discussion: """
            Needs the coordinator stopped. The present catalogue is kept under another name, and the copy is left as \
            it is. When the coordinator starts again, it takes whatever is newer than the copy from the archives \
            beside the photos and from its nodes.
            """)

    @Argument(help: "A copy made by `volley backup`.") var copy: String
    @Option(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            let replacement = try await LibraryMaintenance(library).restore(from: copy)
            replacement.tell()
        }
    }
}

/// `volley rebuild`.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Rebuilds a library's catalogue from its photos and their archives.",
        discussion: """
            For a catalogue that is lost or damaged. Needs the coordinator stopped. An existing catalogue is kept \
            beside the new one. What nodes have not delivered yet comes when the coordinator is back. Exit status: 0 \
            done; 1 something could not be read and was left as it is; 2 photos were lost.
            """)

    @Argument(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            var bar = ProgressBar()
            let replacement = try await LibraryMaintenance(library).rebuild { done, total in
                bar.show(done, of: total, "checked", of: "captures")
            }
            bar.finish()
            replacement.tell()
            try replacement.repairs.exit()
        }
    }
}

extension LibraryMaintenance.Replacement {
    fileprivate func tell() {
        for repair in repairs { Output.words("\(repair)") }
        if let former { Output.words("The old catalogue is now \(former).") }
        Output.words(Sentences.count(captureCount, "capture") + ".")
    }
}

extension [LibraryInspection.Repair] {
    /// Ends the command with an error status if something was left or lost.
    fileprivate func exit() throws {
        if contains(where: { $0.outcome == .left }) { throw ExitCode(ExitStatus.failed) }
        if contains(where: { $0.outcome == .loss }) { throw ExitCode(ExitStatus.partial) }
    }
}
