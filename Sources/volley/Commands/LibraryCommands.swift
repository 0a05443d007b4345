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
        var awaitedPhotos = 0
        var lostPhotos = 0
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
            result.captures = try await opened.catalogue.captureCount()
            let counts = try await opened.catalogue.photoCounts()
            (result.expectedPhotos, result.storedPhotos) = (counts.expected, counts.stored)
            (result.awaitedPhotos, result.lostPhotos) = (counts.awaited, counts.lost)
            let left =
                repair
                ? repairs.count { $0.outcome == .left } + (try await opened.catalogue.problems().count)
                : result.problems.count
            try tell(result, counts, left: left)
            if left > 0 { throw ExitCode(ExitStatus.failed) }
            if repairs.contains(where: { $0.outcome == .loss }) { throw ExitCode(ExitStatus.partial) }
        }
    }

    private func tell(_ result: Result, _ counts: Catalogue.PhotoCounts, left: Int) throws {
        if json { return try Output.json(result) }
        for problem in result.problems { Output.data(problem) }
        for sentence in result.done { Output.words(sentence) }
        let lacking = [
            (counts.lost, "lost"), (counts.awaited, "still to come from nodes"),
            (counts.failed, "failed"),
        ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
        Output.words(
            "\(Sentences.count(result.captures, "capture")), \(result.storedPhotos) of \(result.expectedPhotos) photos: "
                + (result.problems.isEmpty
                    ? "library and catalogue agree."
                    : Sentences.count(result.problems.count, "problem")
                        + (repair ? ", \(left == 0 ? "none" : "\(left)") left." : "."))
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
            _ = try files.open(temporary, .create)
            let count: Int
            do {
                try opened.catalogue.backup(to: temporary, at: Clocks.microsecondsSinceEpoch())
                count = try await Catalogue(reading: temporary).captureCount()
                try files.open(temporary, .append).sync()
                try files.renameDurably(temporary, to: copy)
            } catch {
                for suffix in RebuildCommand.suffixes { try? files.remove(temporary + suffix) }
                throw LibraryProblem(
                    Catalogue.isDamage(error) ? ExitStatus.inputOutput : ExitStatus.failed,
                    "There is no copy: \(Catalogue.sentence(for: error))")
            }
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
            new one. What nodes have not delivered yet comes when the coordinator is back. Exit status: 0; 1 where \
            something could not be read, and was left; 2 where photos were lost.
            """)

    /// Of the files of a database.
    fileprivate static let suffixes = ["", "-wal", "-shm"]

    @Argument(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            let files = PosixFileSystem()
            try LibraryProblem.check(library)
            let lock = try OpenLibrary.lock(library)
            let path = library + "/catalogue.sqlite"
            let now = Clocks.microsecondsSinceEpoch()
            // Beside the old one: cut short, it must not look like a catalogue.
            let new = path + ".part"
            for suffix in Self.suffixes { try files.remove(new + suffix) }
            _ = try files.open(new, .create)
            let catalogue = try Catalogue(path: new, startedAt: now, rigTime: RigTime(nanoseconds: 0))
            let inspection = LibraryInspection(LibraryFolder(root: library), catalogue)
            var bar = ProgressBar()
            let findings = try await inspection.findings(isThorough: true) { done, total in
                bar.show(done, of: total, "looked at", of: "captures")
            }
            let repairs = try await inspection.repair(findings, now: now)
            for repair in repairs { Output.words("\(repair)") }
            bar.finish()
            let count = try await catalogue.captureCount()
            try catalogue.close()
            for suffix in ["-wal", "-shm"] { try files.remove(new + suffix) }
            for suffix in Self.suffixes where try files.byteCount(of: path + suffix) != nil {
                try files.renameDurably(path + suffix, to: "\(path).\(now)\(suffix)")
                if suffix.isEmpty { Output.words("The old catalogue is now \(path).\(now).") }
            }
            try files.renameDurably(new, to: path)
            withExtendedLifetime(lock) {}
            Output.words(Sentences.count(count, "capture") + ".")
            if repairs.contains(where: { $0.outcome == .left }) { throw ExitCode(ExitStatus.failed) }
            if repairs.contains(where: { $0.outcome == .loss }) { throw ExitCode(ExitStatus.partial) }
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

    /// Refuses a folder that is no library.
    static func check(_ path: String) throws {
        guard !LibraryFolder(root: path).isThere else { return }
        // What may not be looked at may well be one.
        if access(path + "/photos", R_OK | X_OK) != 0, errno == EACCES { throw SystemError.last("access", path) }
        throw LibraryProblem(
            ExitStatus.badConfiguration, "\(path) is no library: there is no folder 'photos' in it.")
    }

    /// Refuses a library without a catalogue; an empty file is none.
    static func checkCatalogue(_ path: String) throws {
        if let byteCount = try PosixFileSystem().byteCount(of: path + "/catalogue.sqlite"), byteCount > 0 { return }
        try check(path)
        throw LibraryProblem(
            ExitStatus.badConfiguration, "\(path) has no catalogue; `volley rebuild \(path)` makes one.")
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
        try LibraryProblem.check(path)
        try LibraryProblem.checkCatalogue(path)
        let file = path + "/catalogue.sqlite"
        lock = try isWritten ? Self.lock(path) : nil
        do {
            catalogue =
                isWritten
                ? try Catalogue(
                    path: file, startedAt: Clocks.microsecondsSinceEpoch(), rigTime: RigTime(nanoseconds: 0))
                : try Catalogue(reading: file)
        } catch let error where !Catalogue.isDamage(error) {
            throw LibraryProblem(ExitStatus.failed, "\(path): \(Catalogue.sentence(for: error))")
        }
    }

    static func lock(_ path: String) throws -> any FileLock {
        do throws(SystemError) {
            return try PosixFileSystem().lock(path)
        } catch {
            guard error.call == "flock" else { throw error }
            throw LibraryProblem(
                ExitStatus.tryAgain, "A coordinator, or another repair, has the library \(path); stop it first.")
        }
    }
}
