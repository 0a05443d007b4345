import CaptureModel
import DurableFiles
import Foundation
import PhotoExport
import Posix
import Programs

/// Merges exported brackets into pictures of the scene's light, by pfstools.
///
/// pfshdrcalibrate weighs each photo by the noise of its light (Hanji, Zhong and Mantiuk, *Noise-Aware Merging of High
/// Dynamic Range Image Stacks without Camera Calibration*, 2020). The exposures are those of the manifest: verified
/// where they could be. The response is that of sRGB (IEC 61966-2-1), which finished pictures follow.
struct BracketMerge {
    /// What a merged bracket is called in its folder.
    static let name = "merged.exr"

    private let folder: String
    private let work: URL
    private let files = PosixFileSystem()

    /// - Throws: ``ExportPlan/Problem`` where pfstools is missing.
    init(folder: String) throws {
        self.folder = folder
        let tools = ["pfsinhdrgen", "pfshdrcalibrate", "pfsoutexr"]
        guard try ShellCommand.run("command -v \(tools.joined(separator: " ")) >/dev/null") == 0 else {
            throw ExportPlan.Problem(message: "--merge takes pfstools: apt-get install pfstools.")
        }
        work = FileManager.default.temporaryDirectory.appendingPathComponent("volley-merge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        try Data(Self.response.utf8).write(to: work.appendingPathComponent("srgb.m"))
    }

    /// Ends it.
    func close() { try? FileManager.default.removeItem(at: work) }

    /// Merges each bracket that has changed since.
    ///
    /// - Returns: the hashes of all that are merged, by their paths.
    func merge(_ export: ExportManifest, _ report: inout ExportReport) async throws -> [String: String] {
        var (bar, hashes) = (ProgressBar(), [String: String]())
        defer { bar.finish() }
        let brackets = Dictionary(grouping: export.files) { ($0.path as NSString).deletingLastPathComponent }
        for (done, bracket) in brackets.sorted(by: { $0.key < $1.key }).enumerated() {
            let (path, photos) = ("\(bracket.key)/\(Self.name)", bracket.value.sorted { $0.path < $1.path })
            if let known = export.merged?[path], isNewer(path, than: photos) {
                hashes[path] = known
            } else if let problem = try await merge(photos, in: bracket.key) {
                report.unmerged.append("\(folder)/\(bracket.key): \(problem)")
            } else {
                let picture = try files.read("\(work.path)/\(Self.name)")
                try files.writeDurably(picture, to: "\(folder)/\(path)")
                hashes[path] = Digest.of(picture)
                report.mergedBrackets += 1
            }
            bar.show(done + 1, of: brackets.count, "merged", of: "brackets")
        }
        return hashes
    }

    /// - Returns: why it is not merged.
    private func merge(_ files: [ExportManifest.File], in bracket: String) async throws -> String? {
        let place = "\(folder)/\(bracket)"
        guard Set(files.map(\.exposureSeconds)).count > 1 || Set(files.map(\.iso)).count > 1 else {
            return "its exposures do not differ."
        }
        guard Set(files.map(\.gain)).count == 1 else { return "its gains differ, which have no unit." }
        var lines = ""
        for file in files {
            guard let seconds = file.exposureSeconds, seconds > 0 else { return "an exposure is not known." }
            // The aperture is the same for all.
            let name = (file.path as NSString).lastPathComponent
            lines += "\(name) \(1 / seconds) 1 \(file.iso ?? 100) 0\n"
        }
        let list = work.appendingPathComponent("bracket.hdrgen").path
        try Data(lines.utf8).write(to: URL(fileURLWithPath: list))
        let merged = work.appendingPathComponent(Self.name).path
        let log = work.appendingPathComponent("log").path
        try? FileManager.default.removeItem(atPath: merged)
        // pfsinhdrgen takes no name with a space in it, so it is run where the photos are.
        let status = try await OSThread.run(name: "merge") {
            try ShellCommand.run(
                """
                cd \(ShellCommand.quoted(place)) && { pfsinhdrgen \(list) | pfshdrcalibrate -f \(work.path)/srgb.m | \
                pfsoutexr --float32 \(merged); } 2>\(log)
                """)
        }
        guard status == 0, FileManager.default.fileExists(atPath: merged) else {
            let words = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            return "pfstools failed: \(words.split(separator: "\n").last ?? "it says nothing")".printableLine
        }
        return nil
    }

    /// Whether a bracket was merged after its last photo came.
    private func isNewer(_ path: String, than files: [ExportManifest.File]) -> Bool {
        func changed(_ path: String) -> Int {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec : 0
        }
        let merged = changed("\(folder)/\(path)")
        return files.allSatisfy { changed("\(folder)/\($0.path)") < merged }
    }

    /// The curve and the weights of codes, as pfshdrcalibrate reads them.
    private static let response: String = {
        let curve = (0..<256).map { code in
            let encoded = max(Double(code), 0.5) / 255
            let linear = encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
            return String(format: " %e %4d %e\n", log10(linear), code, linear)
        }
        // Black and white say nothing of how dark and how bright.
        let weights = (0..<256).map { code in String(format: " %e %4d\n", 1...254 ~= code ? 1.0 : 0, code) }
        let channels = ["IR", "IG", "IB"].map { matrix($0, "log10(response) | camera output | response", 3, curve) }
        return channels.joined() + matrix("W", "weight | camera output", 2, weights)
    }()

    private static func matrix(_ name: String, _ layout: String, _ columns: Int, _ rows: [String]) -> String {
        """
        # data layout: \(layout)
        # name: \(name)
        # type: matrix
        # rows: \(rows.count)
        # columns: \(columns)
        \(rows.joined())

        """
    }
}
