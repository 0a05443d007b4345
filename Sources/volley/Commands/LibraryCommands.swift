import ArgumentParser
import Catalogue
import Daemon
import LibraryCare

/// `volley verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every photo of a library and holds it against the catalogue.",
        discussion: """
            Works beside a running coordinator. With --repair, while none runs: what is not right is put right or put \
            aside, and what is lost is taken again from the nodes that still have it, when the coordinator is back. \
            Exit status: 0 all is well, or was repaired; 1 it is not; 2 it was repaired, and photos were lost.
            """)

    @Argument(help: "The library.") var library: String
    @Flag(help: "Put right what can be; put aside what cannot.") var repair = false
    @Flag(help: "One JSON document.") var json = false

    private struct Document: Encodable {
        let captures: Int
        /// Of all captures: what they were to have, and what is stored.
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
            let show = { (done: Int, total: Int) in bar.show(done, of: total, "looked at", of: "captures") }
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
                    : " Of the others \(lacking.joined(separator: ", ")); `volley captures --library \(library)` tells of "
                        + "which captures."))
    }
}

/// `volley backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a library's catalogue, as it is at one instant.",
        discussion: """
            Works while the rig runs. The copy is one SQLite file; photos are files, and any tool copies them. \
            `volley restore` goes back to it.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "The new file.") var copy: String

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
            While no coordinator runs. The catalogue that is there is kept beside it, and the copy is left as it is. A \
            coordinator that is started then takes what is newer than the copy from the archives beside the photos and \
            from its nodes.
            """)

    @Argument(help: "The copy, as `volley backup` made it.") var copy: String
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
        commandName: "rebuild", abstract: "Makes a library's catalogue anew, from its photos and their archives.",
        discussion: """
            For a catalogue that is lost or damaged; while no coordinator runs. One that is there is kept beside the \
            new one. What nodes have not delivered yet comes when the coordinator is back. Exit status: 0; 1 where \
            something could not be read, and was left; 2 where photos were lost.
            """)

    @Argument(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            var bar = ProgressBar()
            let replacement = try await LibraryMaintenance(library).rebuild { done, total in
                bar.show(done, of: total, "looked at", of: "captures")
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
    /// Ends the command where something was left or lost.
    fileprivate func exit() throws {
        if contains(where: { $0.outcome == .left }) { throw ExitCode(ExitStatus.failed) }
        if contains(where: { $0.outcome == .loss }) { throw ExitCode(ExitStatus.partial) }
    }
}
