import CaptureModel
import DurableFiles
import Foundation
import PhotoEncoding
import PhotoExport
import Posix
import Programs

/// Makes one picture of each bracket, in which every part is as well exposed as in the best of its photos, by enfuse.
///
/// T. Mertens, J. Kautz, F. Van Reeth, *Exposure Fusion*, Pacific Graphics 2007. What has been made lies among the
/// originals under a name that its photos' hashes give it, and is not made again.
struct BracketFusion {
    private let files = PosixFileSystem()

    /// - Throws: ``ExportPlan/Problem`` where enfuse is missing.
    init() throws {
        guard try ShellCommand.run("command -v enfuse >/dev/null") == 0 else {
            throw ExportPlan.Problem(message: "--merge takes enfuse: apt-get install enfuse.")
        }
    }

    /// Whether a bracket's picture is there.
    func isMade(_ bracket: ExportPhoto) -> Bool { (try? files.byteCount(of: bracket.source)) ?? nil != nil }

    /// Makes the pictures that are not there.
    ///
    /// - Returns: brackets with their pictures; why others have none is in the report.
    func make(_ brackets: [ExportPhoto], _ report: inout ExportReport) async throws -> [ExportPhoto] {
        var (bar, made) = (ProgressBar(), [ExportPhoto]())
        defer { bar.finish() }
        for (done, bracket) in brackets.enumerated() {
            do throws(ExportPlan.Problem) {
                if !isMade(bracket) { try await make(bracket) }
                made.append(try withFile(bracket))
            } catch {
                let id = bracket.id
                report.unmerged.append("\(id.node) in capture \(id.uniqueID): \(error.message)")
            }
            bar.show(done + 1, of: brackets.count, "merged", of: "brackets")
        }
        return made
    }

    private func make(_ bracket: ExportPhoto) async throws(ExportPlan.Problem) {
        guard Set(bracket.merges.map(\.exposure)).count > 1 else {
            throw .init(message: "its exposures do not differ.")
        }
        var first: [UInt8] = []
        for photo in bracket.merges {
            guard photo.photo.record.format == .jpeg else { throw .init(message: "its photos are no JPEGs.") }
            guard let bytes = try? files.read(photo.source) else { throw .init(message: "\(photo.source) is gone.") }
            guard Digest.of(bytes) == photo.file.sha256 else {
                throw .init(message: "\(photo.source) is damaged; `volley verify` says more.")
            }
            if first.isEmpty { first = bytes }
        }
        let fused = bracket.source + ".fused.jpg"
        defer { try? files.remove(fused) }
        do {
            try files.makeFolders(files.parent(of: fused))
            try await fuse(bracket.merges.map(\.source), into: fused)
            let picture = try JPEGTags.merged(
                try files.read(fused), tagsOf: first, imageUniqueID: bracket.file.imageUniqueID)
            // A name among the originals must not outlive its bytes.
            let output = try files.open(fused, .create)
            try output.append(picture)
            try output.sync()
            try files.rename(fused, to: bracket.source)
        } catch let reason as ExportPlan.Problem {
            throw reason
        } catch {
            throw .init(message: "\(error)")
        }
    }

    private func fuse(_ sources: [String], into path: String) async throws {
        let log = path + ".log"
        defer { try? files.remove(log) }
        let words = (["-o", path, "--"] + sources).map(ShellCommand.quoted).joined(separator: " ")
        let status = try await OSThread.run(name: "fuse") {
            try ShellCommand.run("enfuse --compression=95 \(words) >\(ShellCommand.quoted(log)) 2>&1")
        }
        guard status != 0 else { return }
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw ExportPlan.Problem(
            message: "enfuse failed: \(said.split(separator: "\n").last ?? "it says nothing")".printableLine)
    }

    /// The same with what its file is.
    private func withFile(_ bracket: ExportPhoto) throws(ExportPlan.Problem) -> ExportPhoto {
        guard let bytes = try? files.read(bracket.source) else {
            throw .init(message: "\(bracket.source) cannot be read.")
        }
        var bracket = bracket
        bracket.file = PhotoFile(
            byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: bracket.file.dimensions,
            imageUniqueID: bracket.file.imageUniqueID)
        return bracket
    }
}
