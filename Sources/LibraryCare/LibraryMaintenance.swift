import CaptureModel
package import Catalogue
import Glibc
import PhotoStore
import Posix

/// Looks after a library without its coordinator: reads all of it, copies its catalogue, puts a copy back, makes it anew.
///
/// Whatever is cut short leaves the catalogue that was there: a new one is whole and durable beside it before it takes its
/// place, and the old one is kept under another name.
package struct LibraryMaintenance: Sendable {
    private let root: String
    private let files = PosixFileSystem()

    /// - Throws: ``LibraryProblem`` for a folder that is no library.
    package init(_ root: String) throws {
        self.root = root
        try Self.check(root)
    }

    private static func check(_ root: String) throws {
        guard !LibraryFolder(root: root).isThere else { return }
        // What may not be looked at may well be one.
        if access(root + "/photos", R_OK | X_OK) != 0, errno == EACCES { throw SystemError.last("access", root) }
        throw LibraryProblem(.wrongPlace, "\(root) is no library: there is no folder 'photos' in it.")
    }

    private var folder: LibraryFolder { LibraryFolder(root: root) }

    /// Of the files of a database.
    private static let suffixes = ["", "-wal", "-shm"]

    private var catalogueFile: String { Self.catalogueFile(root) }
    private static func catalogueFile(_ root: String) -> String { root + "/catalogue.sqlite" }
    /// A new catalogue until it is whole: cut short, it must not look like one.
    private var newFile: String { catalogueFile + ".part" }

    /// Keeps a coordinator away for as long as the lock lives.
    private func lock() throws -> any FileLock {
        do throws(SystemError) {
            return try files.lock(root)
        } catch {
            guard error.call == "flock" else { throw error }
            throw LibraryProblem(
                .inUse, "A coordinator, or another repair, has the library \(root); stop it first.")
        }
    }

    /// Opens a library's catalogue for questions; its photos may be away.
    ///
    /// - Throws: ``LibraryProblem`` where there is none; an empty file is none.
    package static func catalogue(of root: String) throws -> Catalogue {
        try open(root) { try Catalogue(reading: $0) }
    }

    private static func open(_ root: String, _ body: (String) throws -> Catalogue) throws -> Catalogue {
        let path = catalogueFile(root)
        guard let byteCount = try PosixFileSystem().byteCount(of: path), byteCount > 0 else {
            try check(root)
            throw LibraryProblem(.wrongPlace, "\(root) has no catalogue; `volley rebuild \(root)` makes one.")
        }
        do {
            return try body(path)
        } catch let error where !Catalogue.isDamage(error) {
            throw LibraryProblem(.failed, "\(root): \(Catalogue.sentence(for: error))")
        }
    }

    // MARK: Verify

    /// What a library was found to be like.
    package struct Verdict: Sendable {
        package let captureCount: Int
        package let photos: Catalogue.PhotoCounts
        /// A sentence each.
        package let problems: [String]
        /// What was done about them, where that was asked for.
        package let repairs: [LibraryInspection.Repair]
        /// Problems that are still there.
        package let leftCount: Int
    }

    /// Reads every photo and holds it against the catalogue; a coordinator may run meanwhile.
    ///
    /// - Parameter onProgress: told how many captures were looked at, of how many.
    package func verify(onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Verdict {
        let catalogue = try Self.catalogue(of: root)
        let findings = try await LibraryInspection(folder, catalogue).findings(
            isThorough: true, onProgress: onProgress)
        let problems = findings.map(\.description) + (try await catalogue.problems())
        return try await verdict(catalogue, problems, [], left: problems.count)
    }

    /// The same, and puts right what can be, and aside what cannot; while no coordinator runs.
    package func repair(onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Verdict {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let now = Clocks.microsecondsSinceEpoch()
        let catalogue = try Self.open(root) {
            try Catalogue(path: $0, startedAt: now, rigTime: RigTime(nanoseconds: 0))
        }
        let inspection = LibraryInspection(folder, catalogue)
        let findings = try await inspection.findings(isThorough: true, onProgress: onProgress)
        let problems = findings.map(\.description) + (try await catalogue.problems())
        let repairs = try await inspection.repair(findings, now: now)
        let left = repairs.count { $0.outcome == .left } + (try await catalogue.problems().count)
        return try await verdict(catalogue, problems, repairs, left: left)
    }

    private func verdict(
        _ catalogue: Catalogue, _ problems: [String], _ repairs: [LibraryInspection.Repair], left: Int
    ) async throws -> Verdict {
        Verdict(
            captureCount: try await catalogue.captureCount(), photos: try await catalogue.photoCounts(),
            problems: problems, repairs: repairs, leftCount: left)
    }

    // MARK: Copies

    /// Copies the catalogue, as it is at one instant, into a new file; a coordinator may run meanwhile.
    ///
    /// - Returns: how many captures it knows.
    package func backUp(to copy: String) async throws -> Int {
        let catalogue = try Self.catalogue(of: root)
        guard try files.byteCount(of: copy) == nil else {
            throw LibraryProblem(.wrongPlace, "\(copy) is there already; name a new file.")
        }
        let part = copy + ".part"
        do {
            let count = try await duplicate(catalogue, into: part)
            try files.renameDurably(part, to: copy)
            return count
        } catch let error as SystemError where error.isPermission {
            throw error
        } catch {
            removeDatabase(part)
            throw LibraryProblem(
                Catalogue.isDamage(error) ? .damaged : .failed, "There is no copy: \(Catalogue.sentence(for: error))")
        }
    }

    /// Makes a whole, durable copy; a former one that was cut short is written over.
    private func duplicate(_ catalogue: Catalogue, into path: String) async throws -> Int {
        removeDatabase(path)
        _ = try files.open(path, .create)
        try catalogue.backup(to: path, at: Clocks.microsecondsSinceEpoch())
        let count = try await Catalogue(reading: path).captureCount()
        try files.open(path, .append).sync()
        return count
    }

    private func removeDatabase(_ path: String) {
        for suffix in Self.suffixes { try? files.remove(path + suffix) }
    }

    /// What has the place of the catalogue now.
    package struct Replacement: Sendable {
        package let captureCount: Int
        /// Where the catalogue is that was there before; nil where there was none.
        package let former: String?
        /// What was done about what did not fit.
        package let repairs: [LibraryInspection.Repair]
    }

    /// Goes back to a copy of the catalogue; while no coordinator runs.
    ///
    /// The next coordinator takes what is newer from the archives beside the photos and from its nodes.
    ///
    /// - Parameter copy: a copy that ``backUp(to:)`` made, or any other catalogue of this library; it is left as it is.
    package func restore(from copy: String) async throws -> Replacement {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        guard let byteCount = try files.byteCount(of: copy), byteCount > 0 else {
            throw LibraryProblem(.wrongPlace, "There is no copy \(copy).")
        }
        let count: Int
        do {
            count = try await duplicate(try Catalogue(reading: copy), into: newFile)
        } catch let error as SystemError where error.isPermission {
            throw error
        } catch {
            removeDatabase(newFile)
            throw LibraryProblem(
                Catalogue.isDamage(error) ? .damaged : .failed,
                "The catalogue is as it was; \(copy) cannot take its place: \(Catalogue.problem(of: error))")
        }
        return Replacement(captureCount: count, former: try replaceCatalogue(), repairs: [])
    }

    /// Makes the catalogue anew, from the photos and their archives; while no coordinator runs.
    ///
    /// - Parameter onProgress: told how many captures were looked at, of how many.
    package func rebuild(onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Replacement {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let now = Clocks.microsecondsSinceEpoch()
        removeDatabase(newFile)
        _ = try files.open(newFile, .create)
        let catalogue = try Catalogue(path: newFile, startedAt: now, rigTime: RigTime(nanoseconds: 0))
        let inspection = LibraryInspection(folder, catalogue)
        let findings = try await inspection.findings(isThorough: true, onProgress: onProgress)
        let repairs = try await inspection.repair(findings, now: now)
        let count = try await catalogue.captureCount()
        try catalogue.close()
        return Replacement(captureCount: count, former: try replaceCatalogue(), repairs: repairs)
    }

    /// Puts the new catalogue, which is closed, in the place of the old one, in one step.
    ///
    /// - Returns: where the old one is now.
    private func replaceCatalogue() throws -> String? {
        for suffix in ["-wal", "-shm"] { try files.remove(newFile + suffix) }
        var former: String?
        if let byteCount = try files.byteCount(of: catalogueFile), byteCount > 0 {
            let place = "\(catalogueFile).\(Clocks.microsecondsSinceEpoch())"
            // A log that can be read goes into the file; of a damaged catalogue it is kept beside it.
            try? Catalogue.foldLog(of: catalogueFile)
            for suffix in ["", "-wal"] where try files.byteCount(of: catalogueFile + suffix) ?? 0 > 0 {
                if link(catalogueFile + suffix, place + suffix) == 0 { continue }
                let refusal = SystemError.last("link", place + suffix)
                // A file system without links; there the library has no catalogue for a moment.
                guard [EPERM, EOPNOTSUPP, ENOSYS].contains(refusal.errno) else { throw refusal }
                try files.rename(catalogueFile + suffix, to: place + suffix)
            }
            try files.syncFolder(root)
            former = place
        }
        // With the old log beside it the new one would look damaged.
        for suffix in ["-wal", "-shm"] { try files.remove(catalogueFile + suffix) }
        try files.renameDurably(newFile, to: catalogueFile)
        return former
    }
}
