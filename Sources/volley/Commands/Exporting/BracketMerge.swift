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

    /// Merges each bracket that is not merged of the same photos already.
    func merge(_ exporter: inout Exporter, _ report: inout ExportReport) async throws {
        var bar = ProgressBar()
        defer { bar.finish() }
        let brackets = Dictionary(grouping: exporter.contents.files) { ($0.path as NSString).deletingLastPathComponent }
        for (done, bracket) in brackets.sorted(by: { $0.key < $1.key }).enumerated() {
            let photos = bracket.value.sorted { $0.path < $1.path }
            if let problem = try await merge(photos, in: bracket.key, &exporter) {
                report.unmerged.append("\(folder)/\(bracket.key): \(problem)")
            } else {
                report.mergedBrackets += 1
            }
            bar.show(done + 1, of: brackets.count, "merged", of: "brackets")
        }
    }

    /// - Returns: why it is not merged.
    private func merge(
        _ photos: [ExportManifest.File], in bracket: String, _ exporter: inout Exporter
    ) async throws -> String? {
        let path = "\(bracket)/\(Self.name)"
        let known = exporter.contents.merged?[path]
        let there = try files.unlessLost { () throws(SystemError) in try files.read("\(folder)/\(path)") }.map(
            Digest.of)
        if let there, there != known?.sha256, there != known?.former {
            return "\(Self.name) is there, and is another file."
        }
        if there != nil, there == known?.sha256, known?.source == ExportManifest.MergedPicture.source(photos) {
            return nil
        }
        if let problem = try await merge(photos, in: bracket) { return problem }
        let picture = try files.read("\(work.path)/\(Self.name)")
        try exporter.record(.init(of: photos, sha256: Digest.of(picture), former: there), at: path)
        try files.writeDurably(picture, to: "\(folder)/\(path)")
        return nil
    }

    /// - Returns: why it is not merged.
    private func merge(_ photos: [ExportManifest.File], in bracket: String) async throws -> String? {
        let place = "\(folder)/\(bracket)"
        let light = photos.compactMap { photo in photo.exposureSeconds.map { $0 * (photo.iso ?? 100) } }
        guard light.count == photos.count, let least = light.min(), let most = light.max(), least > 0 else {
            return "an exposure is not known."
        }
        // What was asked to be the same is measured to be a little different.
        guard most > 1.05 * least else { return "its exposures do not differ." }
        guard Set(photos.map(\.gain)).count == 1 else { return "its gains differ, which have no unit." }
        var lines = ""
        for file in photos {
            let seconds = file.exposureSeconds ?? 1
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
