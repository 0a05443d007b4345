package import CaptureModel
package import Catalogue
import FoundationEssentials
package import Library
import Posix
import RigProtocol
import RigRules

/// Checks a library's files against its catalogue, and reconciles them.
///
/// | found | done |
/// |---|---|
/// | a capture that the catalogue does not know, or knows less of | restored from its archive, or moved aside |
/// | a file that a row is waiting for, with the right hash | adopted: stored |
/// | a row whose file is missing, or differs | counted as lost until a node that still has it sends it again |
/// | a deleted photo that is not in the trash, or one in the trash that was put back | brought where it belongs |
/// | a file with a photo's name that has no row, or differs | moved aside, to `quarantine` |
/// | a file with any other name: an editor's, an operator's | nothing |
/// | what cannot be read or written now, an archive that cannot be used, a folder of another day | left as it is |
///
/// A capture that cannot be examined or repaired does not hold up the others.
package struct LibraryInspection: Sendable {
    private let folder: LibraryFolder
    private let catalogue: Catalogue
    private let onProgress: @Sendable () -> Void

    /// - Parameter onProgress: called before each capture and each file, to feed a watchdog.
    package init(
        _ folder: LibraryFolder, _ catalogue: Catalogue, onProgress: @escaping @Sendable () -> Void = {}
    ) {
        self.folder = folder
        self.catalogue = catalogue
        self.onProgress = onProgress
    }

    /// Finds disagreements when a coordinator starts.
    ///
    /// What was consistent when the previous run began is not checked again; `volley verify` does that. If the
    /// library's last run is not the catalogue's, everything is checked: the catalogue is a copy, or a start was cut
    /// short or left something.
    package func findingsSinceFormerRun() async throws -> [Finding] {
        let former = try catalogue.formerRunStart()
        return try await findings(since: folder.lastRun() == former ? former : nil, isThorough: false)
    }

    /// Finds disagreements.
    ///
    /// - Parameters:
    ///   - since: the first day to check; nil for all.
    ///   - isThorough: whether to read and hash every file, not only those that a row is waiting for.
    ///   - areGone: whether photos count as lost where there is none at all.
    ///   - onProgress: called with the number of captures checked, and their total.
    /// - Throws: ``PhotosAway``; errors of the catalogue.
    package func findings(
        since: UTCTime? = nil, isThorough: Bool, areGone: Bool = false,
        onProgress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> [Finding] {
        if !areGone { try await refuseWithoutPhotos() }
        var findings: [Finding] = []
        var folders: [(id: UniqueID, path: String)] = []
        for day in try folder.days(since: since) {
            do throws(SystemError) {
                folders += try folder.captures(in: day)
            } catch {
                findings.append(.unreadable(nil, place: day, problem: "\(error)"))
            }
        }
        for (index, place) in folders.enumerated() {
            onProgress(index, folders.count)
            findings += try await lookTwice(place.id, in: place.path, isThorough)
        }
        // Captures whose whole folder is gone; of older ones, those that are still open in a copy of the catalogue, as
        // they may have ended since it was made.
        let seen = Set(folders.map(\.id))
        for id in try await catalogue.ids(sinceOrUnfinished: since) where !seen.contains(id) {
            findings += try await lookTwice(id, in: nil, isThorough)
        }
        onProgress(folders.count, folders.count)
        // A folder that was moved is found twice: where it is, and as missing where it belongs.
        var told: Set<Finding> = []
        return findings.filter { told.insert($0).inserted }
    }

    /// Refuses a library whose photos are somewhere else.
    ///
    /// - Throws: ``PhotosAway``; errors of the catalogue.
    package func refuseWithoutPhotos() async throws {
        guard try folder.days().isEmpty else { return }
        let storedCount = try await catalogue.photoCounts().stored
        if storedCount > 0 { throw PhotosAway(storedCount: storedCount, root: folder.root, isEmpty: folder.isThere) }
    }

    /// Looks again at a capture with findings: in a running rig it may have progressed between reading its row and
    /// reading its files.
    private func lookTwice(_ id: UniqueID, in place: String?, _ isThorough: Bool) async throws -> [Finding] {
        let findings = try await look(id, in: place, isThorough)
        return findings.isEmpty || !isThorough ? findings : try await look(id, in: place, isThorough)
    }

    /// - Parameter place: a folder named with its id; nil for the one where it belongs.
    private func look(_ id: UniqueID, in place: String?, _ isThorough: Bool) async throws -> [Finding] {
        onProgress()
        do {
            guard let capture = try await catalogue.capture(id) else {
                guard let place else { return [] }
                let names = try folder.names(in: place)
                let isOwn = names.isEmpty || names.contains { LibraryFolder.isOwn($0, of: id) }
                return isOwn ? [.unknownCapture(id, folder: place)] : []
            }
            let home = LibraryPath.folder(of: id, createdAt: capture.summary.createdAt)
            if let place, place != home { return [.misplaced(id, folder: place, home: home)] }
            return try lookInto(capture, in: home, isThorough)
        } catch let error where Self.isOfOne(error) {
            return [.unreadable(id, place: place ?? "capture \(id)", problem: "\(error)")]
        }
    }

    /// Whether an error concerns one capture alone, rather than the catalogue.
    private static func isOfOne(_ error: any Error) -> Bool {
        error is SystemError || error is Catalogue.ArchiveError || error is DecodingError
            || Catalogue.isPermanent(error)
    }

    private func lookInto(_ capture: CaptureDetail, in place: String, _ isThorough: Bool) throws -> [Finding] {
        let id = capture.summary.uniqueID
        var left = Set(try folder.names(in: place))
        left.remove(LibraryFolder.archiveName)
        // In a running rig one may be under way, at this look and at the next.
        if isThorough { left.remove(LibraryFolder.unfinishedArchiveName) }
        var findings: [Finding] = []
        let order = try archiveOrder(capture, place)
        switch order {
        case .ahead: return [.behind(id, folder: place)]
        case .missing: findings.append(.unarchived(id, folder: place))
        // In a running rig it may be on its way.
        case .late: if !isThorough { findings.append(.unarchived(id, folder: place)) }
        case .same: break
        }
        let isOver = capture.summary.state.isFinal
        let moves = try folder.moves(
            capture.photos.map { $0.place(in: id) }, of: id, createdAt: capture.summary.createdAt)
        // In a running rig they may be about to be moved.
        if !moves.isEmpty, !isThorough || order != .late { findings.append(.unarranged(id, folder: place)) }
        let moved = Set(moves.map(\.name))
        for photo in capture.photos {
            let record = photo.record
            let key = PhotoID(uniqueID: id, node: photo.node, photoCount: record.photoCount)
            let path = photo.path ?? LibraryPath.photo(key, record.slot, createdAt: capture.summary.createdAt)
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let isThere = left.remove(name) != nil
            if moved.contains(name) { continue }
            if photo.deletedAt != nil {
                if isThere { findings.append(.stray(id, path: path)) }
                continue
            }
            switch (photo.path != nil, isThere) {
            case (true, false):
                findings.append(.missing(id, node: photo.node, photoCount: record.photoCount, path: path))
            case (true, true):
                if isThorough, try !isSound(path, record) {
                    findings.append(.damaged(id, node: photo.node, photoCount: record.photoCount, path: path))
                }
            case (false, true):
                if try isSound(path, record) {
                    findings.append(.waiting(id, node: photo.node, photoCount: record.photoCount, path: path))
                } else if isOver {
                    findings.append(.stray(id, path: path))
                }
            case (false, false): break
            }
        }
        let isMissing = findings.contains { if case .missing = $0 { true } else { false } }
        if isMissing, let stray = try folder.stray(of: id, home: place) {
            // Somebody moved it: nothing is lost, and nothing is created here meanwhile.
            return [.misplaced(id, folder: stray, home: place)]
        }
        // While a capture is open, its nodes may report more.
        guard isOver else { return findings }
        return findings
            + left.filter { LibraryFolder.isOwn($0, of: id) }.sorted().map { .stray(id, path: place + "/" + $0) }
    }

    /// How a capture's archive compares with the catalogue.
    private enum ArchiveOrder {
        case missing
        /// It is from before the capture's end, or from before a late photo.
        case late
        case same
        /// It has more, as when the catalogue was restored from an older copy.
        case ahead
    }

    private func archiveOrder(_ capture: CaptureDetail, _ place: String) throws -> ArchiveOrder {
        guard let archive = try folder.archive(in: place), let progress = Catalogue.progress(of: Data(archive)) else {
            return .missing
        }
        let known = ArchiveProgress(capture)
        if progress.exceeds(known) { return .ahead }
        return known.isFinal && progress != known ? .late : .same
    }

    private func isSound(_ path: String, _ record: PhotoRecord) throws -> Bool {
        onProgress()
        guard let digest = try folder.digest(of: path), let file = record.file else { return false }
        return digest == (file.byteCount, file.sha256)
    }

    /// Reconciles library and catalogue.
    ///
    /// - Returns: what was done, in order; findings that could not be put right are among them.
    package func repair(_ findings: [Finding], now: UTCTime) async throws -> [Repair] {
        var done: [Repair] = []
        var touched: Set<UniqueID> = []
        for finding in findings {
            onProgress()
            let repairs = try await attempt(finding, now)
            done += repairs
            // For what was left, the existing archive may be the best account: it is not overwritten.
            if let id = finding.uniqueID, !repairs.contains(where: { $0.outcome == .left }) { touched.insert(id) }
        }
        for id in touched.sorted() {
            do {
                try await settle(id, now)
            } catch let error where Self.isOfOne(error) {
                done.append(Repair("Capture \(id) cannot be archived beside its photos: \(error)", .left))
            }
        }
        return done
    }

    /// Brings a capture's state into line with its photos, by the coordinator's rules, and archives it.
    private func settle(_ id: UniqueID, _ now: UTCTime) async throws {
        onProgress()
        guard let capture = try await catalogue.loaded(id) else { return }
        var machine = RigMachine(
            lastUniqueID: id, lastNews: try catalogue.lastNews(), welcome: Welcome(clockPort: 0, bulkPort: 0))
        let moment = Moment(rigTime: RigTime(nanoseconds: 0), utc: now)
        for case .commit(let changes, _) in machine.handle(.loaded(id, capture), at: moment) {
            try await catalogue.commit(changes)
        }
        if let archive = try await catalogue.archive(of: id) {
            try folder.arrange(try folder.moves(archive.places, of: id, createdAt: archive.createdAt))
            try folder.keep(archive.json, in: LibraryPath.folder(of: id, createdAt: archive.createdAt))
        }
    }

    private func attempt(_ finding: Finding, _ now: UTCTime) async throws -> [Repair] {
        do {
            return try await repair(finding, now)
        } catch let error where Self.isOfOne(error) {
            let sentence = "\(finding); this could not be repaired: \(error)"
            return [Repair(sentence, .left, withheld: finding.isAhead ? finding.uniqueID : nil)]
        }
    }

    private func repair(_ finding: Finding, _ now: UTCTime) async throws -> [Repair] {
        switch finding {
        case .unknownCapture(let id, let place):
            if let done = try await restore(id, place, now) { return done }
            let done = try folder.names(in: place).filter { LibraryFolder.isOwn($0, of: id) }.map { name in
                Repair(
                    "\(place)/\(name) belongs to an unknown capture; it was moved to "
                        + (try folder.quarantine("\(place)/\(name)")))
            }
            folder.removeIfEmpty(place)
            return done
        case .behind(let id, let place):
            return try await restore(id, place, now) ?? []
        // Every capture that was examined is archived in the end.
        case .unarchived(let id, _):
            let isKnown = try await catalogue.capture(id) != nil
            return [
                Repair(
                    isKnown
                        ? "Capture \(id) will be archived." : "Capture \(id) was never accepted, and is forgotten.")
            ]
        case .waiting(let id, let node, let photoCount, let path):
            // The program that put it there may have died before its name was durable.
            try folder.makeDurable(path)
            let photo = PhotoID(uniqueID: id, node: node, photoCount: photoCount)
            try await catalogue.commit([.photoStored(photo, path: path, at: now)])
            return [Repair("\(path) was adopted.")]
        case .missing(let id, let node, let photoCount, let path):
            try await lose(id, node, photoCount, "Its file is no longer in the library")
            return [
                Repair(
                    "\(path) counts as lost until a node sends it again, or until it is put back and the library "
                        + "repaired again.", .loss)
            ]
        case .damaged(let id, let node, let photoCount, let path):
            let place = try folder.quarantine(path)
            try await lose(id, node, photoCount, "Its file was damaged in the library")
            return [
                Repair(
                    "\(path) counts as lost until a node sends it again, or until an intact copy is put back and the "
                        + "library repaired again; the damaged file was moved to \(place).", .loss)
            ]
        case .unarranged(let id, let place):
            guard let capture = try await catalogue.capture(id) else { return [] }
            try folder.arrange(
                try folder.moves(capture.photos.map { $0.place(in: id) }, of: id, createdAt: capture.summary.createdAt))
            return [Repair("Photos of \(place) were brought into the trash, or back from there.")]
        case .stray(_, let path):
            return [Repair("\(path) was moved to \(try folder.quarantine(path)).")]
        case .misplaced(_, let folder, let home): return [Self.misplaced(folder, home)]
        case .unreadable(let id, let place, _): return [Repair("\(place) was left as it is.", .left, withheld: id)]
        }
    }

    private static func misplaced(_ folder: String, _ home: String) -> Repair {
        Repair("\(folder) was left as it is; move its contents to \(home), or move it out of the photos folder.", .left)
    }

    /// An archive does not lie where its capture belongs.
    private struct Misplaced: Error {
        let home: String
    }

    /// Restores a capture from its archive, and examines it; nil if it has none.
    private func restore(
        _ id: UniqueID, _ place: String, _ now: UTCTime, replacing refused: UniqueID? = nil
    ) async throws -> [Repair]? {
        let path = "\(place)/\(LibraryFolder.archiveName)"
        func left(_ reason: String) -> [Repair] {
            [Repair("\(path): \(reason); capture \(id) was left as it is.", .left, withheld: id)]
        }
        guard try folder.names(in: place).contains(LibraryFolder.archiveName) else { return nil }
        guard let archive = try folder.archive(in: place) else { return left("its disk has lost it") }
        do {
            try await catalogue.restore(id, from: Data(archive), replacing: refused) { capture in
                let home = LibraryPath.folder(of: id, createdAt: capture.summary.createdAt)
                if home != place { throw Misplaced(home: home) }
            }
        } catch let archive as Misplaced {
            return [Self.misplaced(place, archive.home)]
        } catch let taken as Catalogue.RequestTaken {
            // A copy of the catalogue may hold a capture that was refused a moment later because it could not be
            // archived; the same request then became this one. Nothing ever came of the other.
            guard let other = try await catalogue.capture(taken.uniqueID), other.summary.state == .preparing,
                other.events.isEmpty, other.photos.isEmpty, try !isArchived(other.summary)
            else { return left("its request became capture \(taken.uniqueID)") }
            return try await restore(id, place, now, replacing: taken.uniqueID)
        } catch let error where Self.isOfOne(error) {
            return left("\(error)")
        }
        var done = [Repair("Capture \(id) was restored from its archive.")]
        for finding in try await look(id, in: place, true) { done += try await attempt(finding, now) }
        return done
    }

    private func isArchived(_ capture: CaptureSummary) throws -> Bool {
        try folder.names(in: LibraryPath.folder(of: capture.uniqueID, createdAt: capture.createdAt))
            .contains(LibraryFolder.archiveName)
    }

    private func lose(_ id: UniqueID, _ node: NodeName, _ photoCount: Int, _ message: String) async throws {
        let photo = PhotoID(uniqueID: id, node: node, photoCount: photoCount)
        try await catalogue.commit([.photoLost(photo, CaptureError(.storageFailed, message + "."))])
    }
}
