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
/// originals, under a name that its photos' hashes give it and with its own hash beside it, and is not made again.
struct BracketFusion {
    private let files = PosixFileSystem()

    /// - Throws: ``ExportPlan/Problem`` where enfuse is missing.
    init() throws {
        guard try ShellCommand.run("command -v enfuse >/dev/null") == 0 else {
            throw ExportPlan.Problem(message: "--merge takes enfuse: apt-get install enfuse.")
        }
    }

    /// A bracket with its picture's file; nil where there is none, or another than was made.
    func made(_ bracket: ExportPhoto) -> ExportPhoto? {
        guard let bytes = try? files.read(bracket.source), let hash = try? files.read(Self.hashPath(bracket)),
            case let actual = Digest.of(bytes), hash == Array(actual.utf8)
        else { return nil }
        return bracket.made(byteCount: bytes.count, sha256: actual)
    }

    /// Makes pictures that are not there.
    ///
    /// - Returns: brackets with their pictures; why others have none is in the report.
    func make(_ brackets: [ExportPhoto], _ report: inout ExportReport) async -> [ExportPhoto] {
        var (bar, all) = (ProgressBar(), [ExportPhoto]())
        defer { bar.finish() }
        for (done, bracket) in brackets.enumerated() {
            do {
                try await make(bracket)
                guard let made = made(bracket) else { throw ExportPlan.Problem(message: "it cannot be read.") }
                all.append(made)
            } catch {
                report.unmerged.append(Self.words(bracket, "\(error)"))
            }
            bar.show(done + 1, of: brackets.count, "merged", of: "brackets")
        }
        return all
    }

    /// Why a bracket cannot be merged; nil where it can, as far as that is seen without its photos.
    static func objection(to bracket: ExportPhoto) -> String? {
        guard bracket.merges.count > 1 else { return words(bracket, "there is one photo only.") }
        return isOfExposures(bracket.merges) ? nil : words(bracket, "its exposures do not differ.")
    }

    /// Whether photos were to be exposed differently; what the camera did may differ by a little where it was not asked to.
    static func isOfExposures(_ photos: [ExportPhoto]) -> Bool {
        let requests = photos.map(\.photo.record.requested)
        return Set(requests.map { [$0.exposureTargetBias, $0.duration?.seconds, $0.iso, $0.gain] }).count > 1
    }

    private static func words(_ bracket: ExportPhoto, _ problem: String) -> String {
        "\(bracket.node) in capture \(bracket.id.uniqueID): \(problem)"
    }

    private func make(_ bracket: ExportPhoto) async throws {
        for photo in bracket.merges {
            guard let bytes = try? files.read(photo.source) else {
                throw ExportPlan.Problem(message: "\(photo.source) is gone.")
            }
            guard Digest.of(bytes) == photo.file.sha256 else {
                throw ExportPlan.Problem(message: "\(photo.source) is damaged; `volley verify` says more.")
            }
        }
        try files.makeFolders(files.parent(of: bracket.source))
        // A name of its own: enfuse may outlive a command that is ended.
        let fused = "\(bracket.source).\(UUID().uuidString).jpg"
        defer { try? files.remove(fused) }
        try await fuse(bracket.merges.map(\.source), into: fused)
        // The bracket began with its first exposure.
        guard let first = bracket.merges.min(by: { $0.shot < $1.shot }) else { return }
        let picture = try JPEGTags.merged(
            try files.read(fused), tagsOf: try files.read(first.source), imageUniqueID: bracket.file.imageUniqueID)
        try files.writeDurably(Digest.of(picture).utf8, to: Self.hashPath(bracket))
        try files.writeDurably(picture, to: bracket.source)
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

    private static func hashPath(_ bracket: ExportPhoto) -> String { bracket.source + ".sha256" }
}
