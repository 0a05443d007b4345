import CaptureModel
import DurableFiles
import Foundation
import Glibc
package import Posix

/// Carries out an export: links originals into a folder, or copies them where they cannot be linked or get tags.
///
/// Each file has its name only once it is whole. What is there already is left as it is, and a file that is no part of
/// the export is never replaced.
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
    private let files = PosixFileSystem()
    private let lock: any FileLock
    private var manifest: ExportManifest
    /// Photos that the manifest has.
    private var known: [String: ExportManifest.File]

    /// Takes hold of a folder, which is made where it is missing.
    ///
    /// - Throws: ``ExportPlan/Problem`` where it holds something else.
    package init(folder: String, layout: ExportLayout, template: String?) throws {
        self.folder = folder
        manifest = try Self.manifest(in: folder, layout, template)
        try files.makeFolders(folder)
        do throws(SystemError) {
            lock = try files.lock(folder)
        } catch {
            guard error.call == "flock" else { throw error }
            throw ExportPlan.Problem(message: "Another command exports into \(folder); wait for it.")
        }
        known = Dictionary(uniqueKeysWithValues: manifest.files.map { ($0.path, $0) })
    }

    /// What a folder holds already, which may be nothing.
    ///
    /// - Throws: ``ExportPlan/Problem`` where that is something else.
    package static func manifest(
        in folder: String, _ layout: ExportLayout, _ template: String?
    ) throws -> ExportManifest {
        let files = PosixFileSystem()
        guard let bytes = try? files.read(folder + "/" + ExportManifest.name) else {
            if let name = try files.names(in: folder).first(where: { !["lock", "originals"].contains($0) }) {
                throw ExportPlan.Problem(
                    message: "\(folder) holds files that are no export, such as \(name); name an empty folder.")
            }
            return ExportManifest(layout: layout, template: template)
        }
        guard let manifest = try? JSONDecoder().decode(ExportManifest.self, from: Data(bytes)) else {
            throw ExportPlan.Problem(message: "\(folder)/\(ExportManifest.name) cannot be read; name another folder.")
        }
        guard manifest.layout == layout, manifest.template == template else {
            let what = manifest.template.map { "named by '\($0)'" } ?? "for \(manifest.layout.rawValue)"
            throw ExportPlan.Problem(message: "\(folder) holds an export \(what); name another folder.")
        }
        return manifest
    }

    /// Numbers what a plan has, before any of its photos is written.
    package mutating func begin(_ plan: ExportPlan) throws {
        manifest = plan.manifest
        try write(JSONText.of(manifest), to: ExportManifest.name)
    }

    /// Places one photo.
    ///
    /// - Throws: what would befall the others as well, such as a full disk.
    package mutating func place(_ entry: ExportPlan.Entry) throws(SystemError) -> Outcome {
        let outcome: (Outcome, sha256: String?, byteCount: Int)
        do throws(Objection) {
            outcome = try placed(entry)
        } catch {
            switch error {
            case .photo(let message): return .failed(message)
            case .system(let error): throw error
            }
        }
        let (photo, exposure) = (entry.photo, entry.photo.exposure)
        let file = ExportManifest.File(
            path: entry.path, uniqueID: photo.capture.uniqueID, node: photo.node,
            photoCount: photo.photo.record.photoCount, step: photo.shot.step,
            exposureSeconds: exposure.duration?.seconds, iso: exposure.iso, gain: exposure.gain,
            verification: photo.photo.record.verification?.name, byteCount: outcome.byteCount,
            sha256: outcome.sha256 ?? photo.file.sha256,
            originalSHA256: entry.tags == nil ? nil : photo.file.sha256)
        known[entry.path] = file
        return outcome.0
    }

    /// Writes what goes with the photos, and what the export holds.
    package mutating func finish() throws {
        manifest.files = known.values.sorted { $0.path < $1.path }
        for (path, text) in manifest.sideFiles { try write(text, to: path) }
        try write(manifest.files.map { "\($0.sha256)  \($0.path)\n" }.joined(), to: "SHA256SUMS")
        try write(JSONText.of(manifest), to: ExportManifest.name)
        try? files.remove(folder + "/lock")
    }

    // MARK: One photo

    private enum Objection: Error {
        case photo(String)
        case system(SystemError)
    }

    private func placed(
        _ entry: ExportPlan.Entry
    ) throws(Objection) -> (Outcome, sha256: String?, byteCount: Int) {
        let (source, file, path) = (entry.photo.source, entry.photo.file, folder + "/" + entry.path)
        if let former = known[entry.path] {
            let isSame = former.originalSHA256 ?? former.sha256 == file.sha256
            if isSame, try size(of: path) == former.byteCount { return (.present, former.sha256, former.byteCount) }
        }
        guard let byteCount = try size(of: source) else { throw .photo("\(source) is gone") }
        guard byteCount == file.byteCount else { throw .photo("\(source) is damaged; `volley verify` says more") }
        do throws(SystemError) { try files.makeFolders(files.parent(of: path)) } catch { throw .system(error) }
        if let tags = entry.tags { return try tagged(tags, source, file, as: path) }
        if link(source, path) == 0 { return (.linked, nil, byteCount) }
        switch errno {
        case EEXIST:
            guard try isSame(path, source, file.sha256) else { throw taken(path) }
            return (.present, nil, byteCount)
        // Another file system, one without links, a file of somebody else's, or too many links.
        case EXDEV, EPERM, EOPNOTSUPP, EMLINK, ENOSYS:
            let bytes = try read(source, file)
            return try published(bytes, as: path) ? (.copied, nil, byteCount) : (.present, nil, byteCount)
        default: throw .system(.last("link", path))
        }
    }

    private func tagged(
        _ tags: ExportTags, _ source: String, _ file: PhotoFile, as path: String
    ) throws(Objection) -> (Outcome, sha256: String?, byteCount: Int) {
        let original = try read(source, file)
        let bytes: [UInt8]
        do {
            bytes = try tags.added(to: original)
        } catch {
            throw .photo("\(source) cannot be given tags: \(error)")
        }
        let isNew = try published(bytes, as: path)
        return (isNew ? .copied : .present, Digest.of(bytes), bytes.count)
    }

    /// A whole original, whose hash is the one that its node took.
    private func read(_ source: String, _ file: PhotoFile) throws(Objection) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try files.read(source) } catch { throw .photo("it cannot be read: \(error)") }
        guard Digest.of(bytes) == file.sha256 else { throw .photo("\(source) is damaged; `volley verify` says more") }
        return bytes
    }

    /// - Returns: whether it was written; false where the same is there.
    private func published(_ bytes: [UInt8], as path: String) throws(Objection) -> Bool {
        let part = path + ".part"
        do throws(SystemError) {
            let output = try files.open(part, .create)
            try output.append(bytes)
            if try files.renameUnlessTaken(part, to: path) { return true }
            try files.remove(part)
        } catch {
            try? files.remove(part)
            throw .system(error)
        }
        guard (try? files.read(path)) == bytes else { throw taken(path) }
        return false
    }

    private func isSame(_ path: String, _ source: String, _ sha256: String) throws(Objection) -> Bool {
        var (one, other) = (stat(), stat())
        guard stat(path, &one) == 0, stat(source, &other) == 0 else { return false }
        if one.st_dev == other.st_dev, one.st_ino == other.st_ino { return true }
        return one.st_size == other.st_size && (try? files.read(path)).map { Digest.of($0) == sha256 } ?? false
    }

    private func taken(_ path: String) -> Objection { .photo("\(path) is there, and is another file; move it away") }

    private func size(of path: String) throws(Objection) -> Int? {
        do throws(SystemError) { return try files.byteCount(of: path) } catch { throw .system(error) }
    }

    private func write(_ text: String, to name: String) throws(SystemError) {
        let path = folder + "/" + name
        try files.makeFolders(files.parent(of: path))
        let output = try files.open(path + ".part", .create)
        try output.append(Array(text.utf8))
        try output.sync()
        try files.rename(path + ".part", to: path)
    }
}
