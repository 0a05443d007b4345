import ArgumentParser
import CaptureModel
import Catalogue
import Coordinator
import Daemon
import Foundation
import PhotoStore
import Posix

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

    private struct Result: Encodable {
        var captures = 0
        /// Of all captures: what they were to have, and what is stored.
        var expectedPhotos = 0
        var storedPhotos = 0
        var problems: [String] = []
        var done: [String] = []
    }

    func run() async throws {
        try await Output.reporting {
            let opened = try OpenLibrary(library, isWritten: repair)
            let inspection = LibraryInspection(opened.folder, opened.catalogue)
            var result = Result()
            var bar = ProgressBar()
            let findings = try await inspection.findings(isThorough: true) { done, total in
                bar.show(done, of: total, "looked at", of: "captures")
            }
            bar.finish()
            result.problems = findings.map(\.description) + (try await opened.catalogue.problems())
            let repairs =
                repair ? try await inspection.repair(findings, now: Clocks.microsecondsSinceEpoch()) : []
            result.done = repairs.map(\.description)
            let totals = try await opened.catalogue.totals()
            (result.captures, result.expectedPhotos, result.storedPhotos) = (
                totals.captures, totals.expectedPhotos, totals.storedPhotos
            )
            try tell(result)
            let left = repair ? try await opened.catalogue.problems() : result.problems
            if !left.isEmpty { throw ExitCode(ExitStatus.failed) }
            if repairs.contains(where: \.isLoss) { throw ExitCode(ExitStatus.partial) }
        }
    }

    private func tell(_ result: Result) throws {
        if json { return try Output.json(result) }
        for problem in result.problems { Output.data(problem) }
        for sentence in result.done { Output.words(sentence) }
        let lacking = result.expectedPhotos - result.storedPhotos
        Output.words(
            "\(Sentences.count(result.captures, "capture")), \(result.storedPhotos) of \(result.expectedPhotos) photos: "
                + (result.problems.isEmpty
                    ? "library and catalogue agree." : Sentences.count(result.problems.count, "problem") + ".")
                + (lacking > 0
                    ? " \(lacking) are lost, were never taken or are still to come; `volley captures --library "
                        + "\(library)` tells of which captures." : ""))
    }
}

/// `volley backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a library's catalogue, as it is at one instant.",
        discussion: """
            Works while the rig runs. The copy is one SQLite file; photos are files, and any tool copies them. A \
            coordinator that is started on an older copy takes what is newer from the archives beside the photos and \
            from its nodes.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "The new file.") var copy: String

    func run() async throws {
        try await Output.reporting {
            let opened = try OpenLibrary(library, isWritten: false)
            let files = PosixFileSystem()
            guard try files.byteCount(of: copy) == nil else {
                throw LibraryProblem(ExitStatus.badConfiguration, "\(copy) is there already; name a new file.")
            }
            // Aside first: half a copy must not look like one.
            let temporary = copy + ".part"
            try files.remove(temporary)
            do {
                try opened.catalogue.backup(to: temporary, at: Clocks.microsecondsSinceEpoch())
                try files.open(temporary, .append).sync()
                try files.renameDurably(temporary, to: copy)
            } catch {
                try? files.remove(temporary)
                throw LibraryProblem(
                    ExitStatus.failed, "The copy could not be written: \(Catalogue.sentence(for: error))")
            }
            let count = try await Catalogue(reading: copy).totals().captures
            Output.words("\(Sentences.count(count, "capture")) copied to \(copy).")
        }
    }
}

/// `volley rebuild`.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Makes a library's catalogue anew, from its photos and their archives.",
        discussion: """
            For a catalogue that is lost or damaged; while no coordinator runs. One that is there is kept beside the \
            new one. What nodes have not delivered yet comes when the coordinator is back. Exit status: 0; 2 where \
            photos were lost.
            """)

    @Argument(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            let files = PosixFileSystem()
            guard LibraryFolder(root: library).isThere else { throw LibraryProblem.none(library) }
            let lock = try OpenLibrary.lock(library)
            let path = library + "/catalogue.sqlite"
            let now = Clocks.microsecondsSinceEpoch()
            for suffix in ["", "-wal", "-shm"] where try files.byteCount(of: path + suffix) != nil {
                try files.renameDurably(path + suffix, to: "\(path).\(now)\(suffix)")
                if suffix.isEmpty { Output.words("The old catalogue is now \(path).\(now).") }
            }
            let catalogue = try Catalogue(path: path, startedAt: now, rigTime: RigTime(nanoseconds: 0))
            let inspection = LibraryInspection(LibraryFolder(root: library), catalogue)
            var bar = ProgressBar()
            let findings = try await inspection.findings(isThorough: true) { done, total in
                bar.show(done, of: total, "looked at", of: "captures")
            }
            let repairs = try await inspection.repair(findings, now: now)
            for repair in repairs { Output.words("\(repair)") }
            // The archives brought the runs of the old catalogue with them.
            try catalogue.breakWithPast(at: now)
            bar.finish()
            withExtendedLifetime(lock) {}
            Output.words(Sentences.count(try await catalogue.totals().captures, "capture") + ".")
            if repairs.contains(where: \.isLoss) { throw ExitCode(ExitStatus.partial) }
        }
    }
}

/// Why nothing can be done with a library.
struct LibraryProblem: Error, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    init(_ exitCode: Int32, _ description: String) {
        self.exitCode = exitCode
        self.description = description
    }

    static func none(_ path: String) -> LibraryProblem {
        LibraryProblem(ExitStatus.badConfiguration, "\(path) is no library: there is no folder 'photos' in it.")
    }
}

/// A library without its coordinator.
private struct OpenLibrary {
    let folder: LibraryFolder
    let catalogue: Catalogue
    /// Held where it is written to.
    private let lock: (any FileLock)?

    init(_ path: String, isWritten: Bool) throws {
        folder = LibraryFolder(root: path)
        guard folder.isThere else { throw LibraryProblem.none(path) }
        let file = path + "/catalogue.sqlite"
        guard try PosixFileSystem().byteCount(of: file) != nil else {
            throw LibraryProblem(
                ExitStatus.badConfiguration, "\(path) has no catalogue; `volley rebuild \(path)` makes one.")
        }
        lock = try isWritten ? Self.lock(path) : nil
        do {
            catalogue =
                isWritten
                ? try Catalogue(
                    path: file, startedAt: Clocks.microsecondsSinceEpoch(), rigTime: RigTime(nanoseconds: 0))
                : try Catalogue(reading: file)
        } catch let error where !Catalogue.isDamage(error) {
            throw LibraryProblem(ExitStatus.failed, "The catalogue of \(path) cannot be opened: \(error)")
        }
    }

    static func lock(_ path: String) throws -> any FileLock {
        do throws(SystemError) {
            return try PosixFileSystem().lock(path)
        } catch {
            throw error.call == "flock"
                ? LibraryProblem(ExitStatus.tryAgain, "A coordinator has the library \(path); stop it first.")
                : LibraryProblem(ExitStatus.notAllowed, "\(error)")
        }
    }
}
