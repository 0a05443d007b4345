package import CaptureModel
import Dispatch
import DurableFiles
import Foundation
import Glibc
package import Posix

/// Carries out an export: links originals into a folder, or copies them where they cannot be linked or get tags.
///
/// ```
/// begin: the manifest names what is about to be made
///   place: each photo has its name only once it is whole, and never that of another file
/// finish: the manifest names what is there; a run that ended before is found out by the next
/// record: and so it does what is about to be merged of that
/// ```
package struct Exporter {
    /// What became of a photo.
    package enum Outcome: Sendable {
        case linked
        case copied
        /// It was there already.
        case present
        /// It is not there, for this reason.
        case failed(String)
    }

    private let folder: String
    /// Whether originals may be linked, so that both are one file.
    private let links: Bool
    private let files = PosixFileSystem()
    private let lock: any FileLock
    private var manifest: ExportManifest
    /// The places of what is there among the manifest's files, by path.
    private var places: [String: Int]
    /// The paths of those that an earlier run placed and this one has not looked at.
    private var unseen: Set<String>
    /// Folders that are there.
    private var folders: Set<String>
    /// How many photos somebody had taken out of the folder, which are out of its lists now.
    package private(set) var unlistedCount = 0

    /// Takes hold of a folder, which is made where it is missing.
    ///
    /// - Parameters:
    ///   - manifest: what an export here is to be, where there is none.
    ///   - links: whether originals may be linked; else all are copied.
    /// - Throws: ``ExportPlan/Problem`` where it holds something else.
    package init(folder: String, _ manifest: ExportManifest, links: Bool) throws {
        (self.folder, self.links, folders) = (folder, links, [folder])
        try files.makeFolders(folder)
        do throws(SystemError) {
            lock = try files.lock(folder)
        } catch {
            guard error.call == "flock" else { throw error }
            throw ExportPlan.Problem(message: "Another command exports into \(folder); wait for it.")
        }
        self.manifest = try Self.manifest(in: folder, or: manifest)
        places = Self.places(self.manifest)
        unseen = Set(places.keys)
        try adopt()
    }

    /// What a folder holds already, or what it is to hold where it is empty.
    ///
    /// - Throws: ``ExportPlan/Problem`` where that is something else.
    package static func manifest(in folder: String, or wanted: ExportManifest) throws -> ExportManifest {
        let files = PosixFileSystem()
        if !files.isFolder(folder), (try? files.byteCount(of: folder)) ?? nil != nil {
            throw ExportPlan.Problem(message: "\(folder) is a file; name a folder.")
        }
        guard let bytes = try contents(folder + "/" + ExportManifest.name) else {
            let own = ["lock", "originals", ExportManifest.name + ".part"]
            if let name = try files.names(in: folder).first(where: { !own.contains($0) }) {
                throw ExportPlan.Problem(
                    message: "\(folder) holds files that are no export, such as \(name); name an empty folder.")
            }
            return wanted
        }
        guard let manifest = try? JSONDecoder().decode(ExportManifest.self, from: Data(bytes)), manifest.isSound else {
            throw ExportPlan.Problem(message: "\(folder)/\(ExportManifest.name) is damaged; name another folder.")
        }
        if let kind = manifest.difference(from: wanted) {
            throw ExportPlan.Problem(message: "\(folder) holds an export \(kind); name another folder.")
        }
        return manifest
    }

    /// What photos would become.
    package func plan(_ photos: [ExportPhoto]) throws(ExportPlan.Problem) -> ExportPlan {
        try ExportPlan(photos, adding: manifest)
    }

    /// Writes down what a plan has, before any of its photos is placed.
    package mutating func begin(_ plan: ExportPlan) throws {
        manifest = plan.manifest
        places.reserveCapacity(places.count + plan.entries.count)
        try files.writeDurably(manifest.text, to: folder + "/" + ExportManifest.name)
    }

    /// The nodes of which a geometry does not say where their cameras stand.
    package func unposed(_ geometry: RigGeometry) -> [NodeName] {
        manifest.unposed(geometry)
    }

    /// The nodes without a photo whose numbers Meshroom misses: it refuses a rig with a gap among its cameras' numbers.
    package var gaps: [NodeName] { manifest.gaps }

    /// What is there.
    package var contents: ExportManifest { manifest }

    /// Whether a photo was placed before, and is there still.
    package func isThere(_ entry: ExportPlan.Entry) -> Bool {
        guard let former = known(entry.path) else { return false }
        let isSame = former.originalSHA256 ?? former.sha256 == entry.photo.file.sha256
        return isSame && (try? files.byteCount(of: folder + "/" + entry.path)) == former.byteCount
    }

    /// Places photos, on all processors.
    ///
    /// - Returns: what became of each.
    /// - Throws: what would befall all others as well, such as a full disk.
    package mutating func place(_ entries: ArraySlice<ExportPlan.Entry>) throws(SystemError) -> [Outcome] {
        for index in entries.indices { try makeFolder(files.parent(of: folder + "/" + entries[index].path)) }
        var (outcomes, problem): ([Outcome], SystemError?) = ([], nil)
        for placement in placements(entries) {
            switch placement {
            case .success(let (outcome, file)):
                note(file)
                outcomes.append(outcome)
            case .failure(.photo(let message)): outcomes.append(.failed(message))
            case .failure(.system(let error)): problem = error
            }
        }
        if let problem { throw problem }
        return outcomes
    }

    /// What is there, by path.
    private static func places(_ manifest: ExportManifest) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: manifest.files.enumerated().map { ($1.path, $0) })
    }

    private func known(_ path: String) -> ExportManifest.File? { places[path].map { manifest.files[$0] } }

    private mutating func note(_ file: ExportManifest.File) {
        if let place = places[file.path] {
            manifest.files[place] = file
        } else {
            places[file.path] = manifest.files.count
            manifest.files.append(file)
        }
        if !unseen.isEmpty { unseen.remove(file.path) }
    }

    /// And those above it; without waiting for the disk, as what is missing after a power cut is placed again.
    private mutating func makeFolder(_ path: String) throws(SystemError) {
        guard folders.insert(path).inserted else { return }
        try makeFolder(files.parent(of: path))
        try files.makeFolder(path)
    }

    private typealias Placement = Result<(Outcome, ExportManifest.File), Objection>

    private func placements(_ entries: ArraySlice<ExportPlan.Entry>) -> [Placement] {
        let none = Placement.failure(.photo(""))
        return [Placement](unsafeUninitializedCapacity: entries.count) { buffer, count in
            buffer.initialize(repeating: none)
            // Each iteration has an element of its own.
            nonisolated(unsafe) let buffer = buffer
            DispatchQueue.concurrentPerform(iterations: entries.count) { index in
                buffer[index] = Result { () throws(Objection) in try placed(entries[entries.startIndex + index]) }
            }
            count = entries.count
        }
    }

    /// Writes what goes with the photos, and what the export holds.
    ///
    /// - Parameter geometry: where the rig's cameras stand, for layouts that carry poses; nil where that is not known.
    /// - Returns: texts of an earlier export that somebody has changed, which are left as they are.
    package mutating func finish(_ geometry: RigGeometry? = nil) throws -> [String] {
        // Who takes a photo out of the folder does not want it in its lists.
        let gone = unseen.filter { (try? files.byteCount(of: folder + "/" + $0)) ?? nil == nil }
        unlistedCount = gone.count
        if !gone.isEmpty {
            manifest.files.removeAll { gone.contains($0.path) }
            places = Self.places(manifest)
        }
        manifest.merged = manifest.merged?.filter { (try? files.byteCount(of: folder + "/" + $0.key)) ?? nil != nil }
        manifest.pending = []
        var changed: [String] = []
        let texts = manifest.texts(geometry)
        // There may be one for each photo, which are synced at once; a few take less by themselves.
        let isMany = texts.count > 50
        var written: [String] = []
        for (path, text) in texts.sorted(by: { $0.key < $1.key }) {
            let there = try Self.contents(folder + "/" + path)
            let hash = Digest.of(Array(text.utf8))
            if let there, Digest.of(there) != hash {
                guard Digest.of(there) == manifest.sideFiles[path] else {
                    changed.append(path)
                    continue
                }
            }
            if there == nil || manifest.sideFiles[path] != hash {
                try makeFolder(files.parent(of: folder + "/" + path))
                let output = try files.open("\(folder)/\(path).part", .create)
                try output.append(text.utf8)
                // A name must not outlive its bytes.
                if !isMany { try output.sync() }
                written.append(path)
            }
            manifest.sideFiles[path] = hash
        }
        if isMany, !written.isEmpty { try files.syncAll(at: folder) }
        for path in written { try files.rename("\(folder)/\(path).part", to: "\(folder)/\(path)") }
        // A text that somebody has changed has the poses that it had.
        if changed.isEmpty { manifest.geometryVersion = manifest.isPosed(geometry) ? geometry?.version : nil }
        try files.writeDurably(manifest.sums, to: folder + "/SHA256SUMS")
        try writeManifest()
        return changed
    }

    /// Writes down a picture that is about to be merged of what is there.
    ///
    /// - Parameter path: relative to the folder.
    package mutating func record(_ picture: ExportManifest.MergedPicture, at path: String) throws(SystemError) {
        manifest.merged = (manifest.merged ?? [:]).merging([path: picture]) { $1 }
        try writeManifest()
    }

    /// Leaves the folder to others.
    package func end() throws(SystemError) {
        if manifest.merged != nil { try files.writeDurably(manifest.sums, to: folder + "/SHA256SUMS") }
        try files.remove(folder + "/lock")
    }

    private func writeManifest() throws(SystemError) {
        try files.writeDurably(manifest.text, to: folder + "/" + ExportManifest.name)
    }

    // MARK: One photo

    private enum Objection: Error {
        case photo(String)
        case system(SystemError)
    }

    /// Takes up what a run that was ended in the middle had placed.
    private mutating func adopt() throws(SystemError) {
        for var file in manifest.pending where known(file.path).map({ $0.step == 0 }) ?? true {
            let path = folder + "/" + file.path
            guard let bytes = try Self.contents(path) else { continue }
            let hash = Digest.of(bytes)
            if known(file.path)?.sha256 == hash { continue }
            // Without tags it is the original, or somebody else's.
            guard file.originalSHA256 != nil || file.sha256 == hash else { continue }
            (file.byteCount, file.sha256) = (bytes.count, hash)
            note(file)
            unseen.insert(file.path)
        }
    }

    private func placed(_ entry: ExportPlan.Entry) throws(Objection) -> (Outcome, ExportManifest.File) {
        let (source, file, path) = (entry.photo.source, entry.photo.file, folder + "/" + entry.path)
        if let former = known(entry.path), isThere(entry) { return (.present, former) }
        guard let byteCount = try size(of: source) else { throw .photo("\(source) is gone") }
        guard byteCount == file.byteCount else { throw .photo("\(source) is damaged; `volley verify` says more") }
        if let tags = entry.tags {
            var made = entry.file
            let bytes = try tagged(try read(source, file), tags, source)
            (made.byteCount, made.sha256) = (bytes.count, Digest.of(bytes))
            return (try published(bytes, as: path, over: replaced(entry)) ? .copied : .present, made)
        }
        if links {
            if link(source, path) == 0 { return (.linked, entry.file) }
            // Else it is on another file system, or on one without links, or has too many, or may not be linked.
            guard [EEXIST, EXDEV, EPERM, EOPNOTSUPP, EMLINK, ENOSYS].contains(errno) else {
                throw .system(.last("link", path))
            }
        }
        let bytes = try read(source, file)
        return (try published(bytes, as: path, over: replaced(entry)) ? .copied : .present, entry.file)
    }

    /// The hash of what an earlier run placed where a bracket belongs: one that was merged anew replaces that.
    private func replaced(_ entry: ExportPlan.Entry) -> String? {
        entry.photo.merges.isEmpty || !unseen.contains(entry.path) ? nil : known(entry.path)?.sha256
    }

    private func tagged(_ original: [UInt8], _ tags: ExportTags, _ source: String) throws(Objection) -> [UInt8] {
        do {
            return try tags.added(to: original)
        } catch {
            throw .photo("\(source) cannot be given tags: \(error)")
        }
    }

    /// A whole original, whose hash is the one that its node took.
    private func read(_ source: String, _ file: PhotoFile) throws(Objection) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try files.read(source) } catch { throw .photo("it cannot be read: \(error)") }
        guard Digest.of(bytes) == file.sha256 else { throw .photo("\(source) is damaged; `volley verify` says more") }
        return bytes
    }

    /// - Returns: whether it was written; false where the same is there.
    private func published(_ bytes: [UInt8], as path: String, over former: String?) throws(Objection) -> Bool {
        do throws(SystemError) {
            if let there = try Self.contents(path) {
                if there == bytes { return false }
                if let former, Digest.of(there) == former, try written(bytes, as: path, replaces: true) { return true }
            } else if try written(bytes, as: path) {
                return true
            }
        } catch {
            throw .system(error)
        }
        throw .photo("\(path) is there, and is another file")
    }

    /// - Returns: whether it was; false where there is a file of that name.
    private func written(_ bytes: [UInt8], as path: String, replaces: Bool = false) throws(SystemError) -> Bool {
        let part = path + ".part"
        do throws(SystemError) {
            let output = try files.open(part, .create)
            try output.append(bytes)
            // A name must not outlive its bytes.
            try output.sync()
            if replaces {
                try files.rename(part, to: path)
                return true
            }
            if try files.renameUnlessTaken(part, to: path) { return true }
            try files.remove(part)
            return false
        } catch {
            try? files.remove(part)
            throw error
        }
    }

    private func size(of path: String) throws(Objection) -> Int? {
        do throws(SystemError) { return try files.byteCount(of: path) } catch { throw .system(error) }
    }

    /// Nil where there is no such file.
    private static func contents(_ path: String) throws(SystemError) -> [UInt8]? {
        let files = PosixFileSystem()
        return try files.unlessLost { () throws(SystemError) in try files.read(path) }
    }
}
