import CaptureModel
package import Catalogue
import Glibc
import Library
package import Posix

/// Maintains a library without its coordinator: verifies and repairs it, and backs up, restores and rebuilds its
/// catalogue.
///
/// Whatever is cut short leaves the previous catalogue in place: a new one is complete and durable beside it before it
/// takes over, and the old one is kept under another name.
package struct LibraryMaintenance: Sendable {
    private let root: String
    private let files = PosixFileSystem()

    /// - Parameter areGone: whether its photos may be missing.
    /// - Throws: ``LibraryProblem`` if the folder is not a library.
    package init(_ root: String, areGone: Bool = false) throws {
        self.root = root
        if areGone { _ = try Self.catalogue(of: root) } else { try Self.check(root) }
    }

    private static func check(_ root: String) throws {
        guard !LibraryFolder(root: root).isThere else { return }
        // A folder that may not be read may well be a library.
        if access(root + "/photos", R_OK | X_OK) != 0, errno == EACCES { throw SystemError.last("access", root) }
        guard try PosixFileSystem().byteCount(of: catalogueFile(root)) == nil else {
            throw LibraryProblem(
                .wrongPlace,
                "\(root) has a catalogue, but no folder 'photos'. Is the disk that holds it mounted, or was it moved? Bring "
                    + "it back. If the photos are gone for good, `volley verify \(root) --repair --photos-gone` counts them "
                    + "as lost.")
        }
        throw LibraryProblem(.wrongPlace, "\(root) is not a library: there is no folder 'photos' in it.")
    }

    private var folder: LibraryFolder { LibraryFolder(root: root) }

    /// The suffixes of a database's files.
    private static let suffixes = ["", "-wal", "-shm"]

    private var catalogueFile: String { Self.catalogueFile(root) }
    private static func catalogueFile(_ root: String) -> String { root + "/catalogue.sqlite" }
    /// The file of a new catalogue until it is complete: if cut short, it must not look like one.
    private var newFile: String { catalogueFile + ".part" }

    /// Keeps a coordinator away for as long as the lock lives.
    private func lock() throws -> any FileLock {
        try lock(root, "A coordinator, or another repair, is using the library \(root); stop it first.")
    }

    private func lock(_ folder: String, _ refusal: String) throws -> any FileLock {
        do throws(SystemError) {
            return try files.lock(folder)
        } catch {
            guard error.call == "flock" else { throw error }
            throw LibraryProblem(.inUse, refusal)
        }
    }

    /// Opens a library's catalogue for reading; its photos may be missing.
    ///
    /// - Throws: ``LibraryProblem`` if there is none; an empty file does not count.
    package static func catalogue(of root: String) throws -> Catalogue {
        try open(root) { try Catalogue(reading: $0) }
    }

    private static func open(_ root: String, _ body: (String) throws -> Catalogue) throws -> Catalogue {
        let path = catalogueFile(root)
        guard let byteCount = try PosixFileSystem().byteCount(of: path), byteCount > 0 else {
            try check(root)
            throw LibraryProblem(.wrongPlace, "\(root) has no catalogue; `volley rebuild \(root)` creates one.")
        }
        do {
            return try body(path)
        } catch let error where !Catalogue.isDamage(error) {
            throw LibraryProblem(.failed, "\(root): \(Catalogue.sentence(for: error))")
        }
    }

    // MARK: Verify

    /// The state in which a library was found.
    package struct Verdict: Sendable {
        /// How many captures the catalogue knows.
        package let captureCount: Int
        /// What became of their photos.
        package let photos: Catalogue.PhotoCounts
        /// What was wrong, one sentence each.
        package let problems: [String]
        /// What was done about the problems; empty unless a repair was requested.
        package let repairs: [LibraryInspection.Repair]
        /// Files among the photos that are not Volley's; they are left alone.
        package let foreign: [String]
        /// The problems that remain, one sentence each.
        package let left: [String]
        /// How many there are.
        package var leftCount: Int { left.count }
    }

    /// Reads every photo and checks it against the catalogue; a coordinator may run meanwhile.
    ///
    /// - Parameter onProgress: called with the number of captures checked, and their total.
    package func verify(onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Verdict {
        let catalogue = try Self.catalogue(of: root)
        let findings = try await LibraryInspection(folder, catalogue).findings(
            isThorough: true, onProgress: onProgress)
        let problems = findings.map(\.description) + (try await catalogue.problems())
        return try await verdict(catalogue, problems, [], left: problems)
    }

    /// Verifies, repairs what it can and moves the rest aside; no coordinator may run meanwhile.
    ///
    /// - Parameters:
    ///   - areGone: whether photos count as lost where there is none at all.
    ///   - onProgress: called with the number of captures checked, and their total.
    package func repair(areGone: Bool = false, onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Verdict {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let now = UTCTime(rawValue: Clocks.microsecondsSinceEpoch())
        let catalogue = try Self.open(root) {
            try Catalogue(path: $0, startedAt: now, rigTime: RigTime(nanoseconds: 0))
        }
        let inspection = LibraryInspection(folder, catalogue)
        if areGone { try files.makeFolders(root + "/photos") }
        let findings = try await inspection.findings(isThorough: true, areGone: areGone, onProgress: onProgress)
        let problems = findings.map(\.description) + (try await catalogue.problems())
        let repairs = try await inspection.repair(findings, now: now)
        let left =
            repairs.filter { $0.outcome == .left }.map(\.description) + (try await catalogue.problems())
        return try await verdict(catalogue, problems, repairs, left: left)
    }

    private func verdict(
        _ catalogue: Catalogue, _ problems: [String], _ repairs: [LibraryInspection.Repair], left: [String]
    ) async throws -> Verdict {
        Verdict(
            captureCount: try await catalogue.captureCount(), photos: try await catalogue.photoCounts(),
            problems: problems, repairs: repairs, foreign: try folder.foreignFiles(), left: left)
    }

    /// Records that a check did not finish, as the catalogue is damaged; the previous result no longer applies.
    ///
    /// - Throws: ``SystemError`` where the library cannot be written.
    package func keep(brokenOff error: any Error) throws(SystemError) {
        guard Catalogue.isDamage(error) else { return }
        try folder.keep(
            LibraryVerdict(
                checkedAt: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()), captureCount: 0, expectedPhotoCount: 0,
                storedPhotoCount: 0, lostPhotoCount: 0, problemCount: 1,
                problems: ["The check was broken off: \(error)"]))
    }

    /// Keeps what was found in the library, for whoever asks its coordinator.
    ///
    /// - Throws: ``SystemError`` where the library cannot be written.
    package func keep(_ verdict: Verdict) throws(SystemError) {
        try folder.keep(
            LibraryVerdict(
                checkedAt: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()), captureCount: verdict.captureCount,
                expectedPhotoCount: verdict.photos.expected, storedPhotoCount: verdict.photos.stored,
                lostPhotoCount: verdict.photos.lost, problemCount: verdict.leftCount, problems: verdict.left))
    }

    // MARK: Copies

    /// Copies the catalogue, as of one instant, into a new file; a coordinator may run meanwhile.
    ///
    /// - Returns: how many captures the copy knows.
    package func backUp(to copy: String) async throws -> Int {
        let catalogue = try Self.catalogue(of: root)
        // By its name: a pipe, a device or a link that leads nowhere is not to be replaced, either.
        func isTaken() throws -> Bool {
            let name = copy.split(separator: "/").last.map(String.init) ?? copy
            return try files.isFolder(copy) || files.names(in: files.parent(of: copy)).contains(name)
        }
        let taken = LibraryProblem(.wrongPlace, "\(copy) already exists; name a new file.")
        guard files.isFolder(files.parent(of: copy)) else {
            throw LibraryProblem(.wrongPlace, "There is no folder \(files.parent(of: copy)) for \(copy).")
        }
        guard try !isTaken() else { throw taken }
        // A folder, for the lock of whoever writes the copy; one of a backup that was cut short is used again.
        let folder = copy + ".part"
        let part = folder + "/catalogue.sqlite"
        // An earlier release left a file.
        if !files.isFolder(folder) { removeDatabase(folder) }
        try files.makeFolder(folder)
        let lock = try lock(folder, "Another backup is writing \(copy); wait for its end, or name another file.")
        defer {
            for leftover in [part, folder + "/lock"] { try? files.remove(leftover) }
            try? files.removeFolder(folder)
            withExtendedLifetime(lock) {}
        }
        do {
            // The other one may have ended just now.
            guard try !isTaken() else { throw taken }
            let count = try await duplicate(catalogue, into: part)
            try files.renameDurably(part, to: copy)
            return count
        } catch let error as SystemError where error.isPermission {
            throw error
        } catch let problem as LibraryProblem {
            throw problem
        } catch {
            removeDatabase(part)
            // What is full is the copy's disk: the catalogue is only read.
            let reason =
                Catalogue.isFull(error) ? "the disk of \(copy) is full." : Catalogue.sentence(for: error)
            throw LibraryProblem(Catalogue.isDamage(error) ? .damaged : .failed, "No copy was made: \(reason)")
        }
    }

    /// Makes a complete, durable copy, replacing an earlier one that was cut short.
    private func duplicate(_ catalogue: Catalogue, into path: String) async throws -> Int {
        removeDatabase(path)
        _ = try files.open(path, .create)
        try catalogue.backup(to: path, at: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()))
        let count = try await Catalogue(reading: path).captureCount()
        try files.open(path, .append).sync()
        return count
    }

    private func removeDatabase(_ path: String) {
        for suffix in Self.suffixes { try? files.remove(path + suffix) }
    }

    /// The catalogue that took over from the old one.
    package struct Replacement: Sendable {
        /// How many captures it knows.
        package let captureCount: Int
        /// Where the old catalogue is now; nil if there was none.
        package let former: String?
        /// What was done about disagreements with the library.
        package let repairs: [LibraryInspection.Repair]
        /// What is lost besides, one sentence each.
        package var remarks: [String] = []
    }

    /// Goes back to a copy of the catalogue; no coordinator may run meanwhile.
    ///
    /// The next coordinator takes whatever is newer from the archives beside the photos and from its nodes.
    ///
    /// - Parameter copy: a copy made by ``backUp(to:)``, or any other catalogue of this library; it is left as it is.
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
                "The catalogue is unchanged; \(copy) cannot take its place: \(Catalogue.problem(of: error))")
        }
        return Replacement(captureCount: count, former: try replaceCatalogue(), repairs: [])
    }

    /// Rebuilds the catalogue from the photos and their archives; no coordinator may run meanwhile.
    ///
    /// - Parameter onProgress: called with the number of captures checked, and their total.
    package func rebuild(onProgress: (Int, Int) -> Void = { _, _ in }) async throws -> Replacement {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let now = UTCTime(rawValue: Clocks.microsecondsSinceEpoch())
        removeDatabase(newFile)
        _ = try files.open(newFile, .create)
        let catalogue = try Catalogue(path: newFile, startedAt: now, rigTime: RigTime(nanoseconds: 0))
        let inspection = LibraryInspection(folder, catalogue)
        let findings = try await inspection.findings(isThorough: true, onProgress: onProgress)
        let repairs = try await inspection.repair(findings, now: now)
        let remarks = await folder.reconcileGeometry(catalogue)
        let count = try await catalogue.captureCount()
        try catalogue.close()
        return Replacement(captureCount: count, former: try replaceCatalogue(), repairs: repairs, remarks: remarks)
    }

    /// Replaces the old catalogue by the new one, which must be closed, in one step.
    ///
    /// - Returns: where the old one is now.
    private func replaceCatalogue() throws -> String? {
        for suffix in ["-wal", "-shm"] { try files.remove(newFile + suffix) }
        var former: String?
        if let byteCount = try files.byteCount(of: catalogueFile), byteCount > 0 {
            let place = "\(catalogueFile).\(Clocks.microsecondsSinceEpoch())"
            // A readable log is folded into the file; a damaged catalogue keeps its log beside it.
            try? Catalogue.foldLog(of: catalogueFile)
            for suffix in ["", "-wal"] where try files.byteCount(of: catalogueFile + suffix) ?? 0 > 0 {
                if link(catalogueFile + suffix, place + suffix) == 0 { continue }
                let refusal = SystemError.last("link", place + suffix)
                // On a file system without links the library has no catalogue for a moment.
                guard [EPERM, EOPNOTSUPP, ENOSYS].contains(refusal.errno) else { throw refusal }
                try files.rename(catalogueFile + suffix, to: place + suffix)
            }
            try files.syncFolder(root)
            former = place
        }
        // With the old log beside it the new catalogue would look damaged.
        for suffix in ["-wal", "-shm"] { try files.remove(catalogueFile + suffix) }
        // What was found was found of the old one.
        try? folder.forgetVerdict()
        try files.renameDurably(newFile, to: catalogueFile)
        return former
    }
}
