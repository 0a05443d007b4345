import CaptureModel
import Foundation
import SimulatedCamera
import TestSupport
import Testing

/// Judged by the light of the simulated scene, through what pfstools reads of the file.
@Suite("A merged bracket", .rigTimeLimit)
struct MergeTests {
    @Test("has the scene's light, wherever a step has exposed it well")
    func physics() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("top", seed: 3)
        try rig.awaitReady(1)
        let fired = try rig.volley("fire", "--auto", "-2,0,2", "--format", "jpeg", "--wait")
        #expect(fired.status == 0, "\(fired.errors)")
        let words = [
            "export", rig.file("hdr"), "--to", "hdr", "--merge", "--capture", "last", "--library", rig.library,
        ]
        let merged = try rig.volley(words)
        try #require(merged.status == 0, "\(merged.errors)")
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let path = rig.file("hdr/\(id)/top/merged.exr")
        let found = try luminance(path)
        let table = try String(contentsOfFile: rig.file("hdr/\(id)/top/exposures.csv"), encoding: .utf8)
        let exposures = table.split(separator: "\n").dropFirst().compactMap { Double($0.split(separator: ",")[2]) }
        try #require(exposures.count == 3)
        let light = SimulatedCameraConfiguration(seed: 3).radiance.map { pixel in
            0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z
        }
        try #require(found.count == light.count)
        let pixels = errors(of: found, against: light, exposures)
        #expect(pixels.count > 250_000)
        let square = (pixels.reduce(0) { $0 + $1 * $1 } / Float(pixels.count)).squareRoot()
        #expect(square < 0.05, "\(square)")
        // Pixels have noise, and colour is as coarse as JPEG's: areas of 4 by 4 tell how true the merging is.
        let areas = errors(of: areas(found), against: areas(light), exposures)
        #expect(areas.count > 10_000)
        let (median, most) = (areas[areas.count / 2], areas[areas.count * 98 / 100])
        // The rest lies where colours meet, which JPEG keeps at half the resolution.
        #expect(median < 0.01 && most < 0.05, "\(median) \(most)")
        #expect(merged.errors.contains("3 photos exported, 1 bracket merged: "), "\(merged.errors)")
        let sums = try run("/bin/bash", ["-c", "cd \"$0\" && sha256sum -c --strict SHA256SUMS", rig.file("hdr")])
        #expect(sums.status == 0 && sums.output.contains("\(id)/top/merged.exr: OK"), "\(sums)")
        // Once more: nothing has changed, and nothing is merged.
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        #expect(try rig.volley(words).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == before)
        // As a run leaves it that ended before the picture of a photo that came late was there.
        let manifest = rig.file("hdr/volley-export.json")
        let told = try String(contentsOfFile: manifest, encoding: .utf8)
        let hash = try #require(try digest(of: path))
        let other = String(repeating: "0", count: 64)
        let ended = told.replacing("\"sha256\" : \"\(hash)\"", with: "\"former\":\"\(hash)\",\"sha256\":\"\(other)\"")
        try #require(ended != told)
        try Data(ended.utf8).write(to: URL(fileURLWithPath: manifest))
        let again = try rig.volley(words)
        #expect(again.status == 0 && again.errors.contains("1 bracket merged"), "\(again)")
        #expect(
            try run("/bin/bash", ["-c", "cd \"$0\" && sha256sum -c --strict SHA256SUMS", rig.file("hdr")]).status == 0)
        // Somebody's own picture stays.
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let kept = try rig.volley(words)
        #expect(kept.status == 1 && kept.errors.contains("is another file"), "\(kept)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    private func digest(of path: String) throws -> String? {
        try run("/usr/bin/sha256sum", [path]).output.split(separator: " ").first.map(String.init)
    }

    @Test("is not made of what cannot be, which is said")
    func refused() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("top", seed: 3)
        try rig.awaitReady(1)
        #expect(try rig.volley("fire", "--burst", "2", "--format", "jpeg", "--wait").status == 0)
        let words = ["export", rig.file("hdr"), "--merge", "--capture", "last", "--library", rig.library, "--to"]
        let same = try rig.volley(words + ["hdr"])
        #expect(same.status == 1 && same.errors.contains("exposures do not differ"), "\(same.errors)")
        let single = [
            "export", rig.file("colmap"), "--merge", "--capture", "last", "--library", rig.library, "--to", "colmap",
        ]
        for words in [single + ["--dry-run"], single] {
            let other = try rig.volley(words)
            #expect(other.status == 1 && other.errors.contains("exposures do not differ"), "\(other.errors)")
            #expect(other.errors.contains("No bracket can be merged"), "\(other.errors)")
            #expect(!FileManager.default.fileExists(atPath: rig.file("colmap")))
        }
    }

    /// How far light that was found lies from the true one, in ascending order and as shares of it, where an exposure
    /// holds it well; what was found has no unit.
    private func errors(of found: [Float], against light: [Float], _ exposures: [Double]) -> [Float] {
        let ratios = zip(found, light).compactMap { found, light in
            // 13 ms fill the simulated sensor's wells at brightness 1.
            exposures.contains { (0.02...0.9).contains(Double(light) * $0 / 0.013) } ? found / light : nil
        }
        let scale = ratios.sorted()[ratios.count / 2]
        return ratios.map { abs($0 / scale - 1) }.sorted()
    }

    /// The means of areas of 4 by 4 pixels of a picture that is 640 wide.
    private func areas(_ pixels: [Float]) -> [Float] {
        let (columns, rows) = (160, pixels.count / 640 / 4)
        return (0..<columns * rows).map { area in
            let first = area / columns * 4 * 640 + area % columns * 4
            return (0..<16).reduce(0) { $0 + pixels[first + $1 / 4 * 640 + $1 % 4] } / 16
        }
    }

    /// The second channel of what pfstools hands on: Y of CIE 1931, as a plane of 32-bit floats.
    private func luminance(_ path: String) throws -> [Float] {
        let plain = path + ".pfs"
        let read = try run("/bin/bash", ["-c", "pfsin \"$0\" > \"$1\"", path, plain])
        try #require(read.status == 0, "\(read.errors)")
        let data = try Data(contentsOf: URL(fileURLWithPath: plain))
        let start = try #require(data.firstRange(of: Data("ENDH".utf8))).upperBound
        let planes = data[start...]
        let count = planes.count / 3 / 4
        return (0..<count).map { index in
            planes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: (count + index) * 4, as: Float.self) }
        }
    }
}
