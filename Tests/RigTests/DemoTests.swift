import CaptureModel
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("The demo", .rigTimeLimit)
struct DemoTests {
    private struct Document: Decodable {
        let uniqueID: Int64
        let state: String
        let library: String
    }

    /// One row of the catalogue's photos.
    private struct PhotoRow {
        let path: String
        let byteCount: Int
        let sha256: String
        let format: String
        let node: String
        let step: Int
        let exposure: Double
        let iso: Double

        init(_ row: Row) {
            path = row["path"]
            byteCount = row["byte_count"]
            sha256 = row["sha256"]
            format = row["format"]
            node = row["node"]
            step = row["sequence_count"]
            exposure = Double(row["verified_exposure_ns"] as Int64) / 1e9
            iso = row["verified_iso"]
        }
    }

    @Test("fires three exposures in two formats on four nodes, and every claim of the catalogue is true")
    func demo() throws {
        let scratch = try Scratch()
        let library = scratch.path + "/library"
        let result = try run(
            BuiltPrograms.folder.appendingPathComponent("volley").path, ["demo", "--json", "--library", library])
        try #require(result.status == 0, "\(result.errors)")
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
        #expect(document.state == "complete" && document.library == library)
        let photos = try expectCatalogue(library, document.uniqueID)
        try expectFiles(library, photos)
        try expectReaders(library, photos)
        try expectBrighter(library, photos)
    }

    private func expectCatalogue(_ library: String, _ id: Int64) throws -> [PhotoRow] {
        let queue = try DatabaseQueue(path: library + "/catalogue.sqlite")
        return try queue.read { db in
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM capture WHERE state = 'complete'").count == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM capture_node WHERE state = 'complete'") == 4)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM event") == 56)
            // The simulated sensors have a global shutter.
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM photo WHERE readout_ns = 0") == 24)
            let nodes = try String.fetchAll(
                db, sql: "SELECT node FROM capture_node WHERE unique_id = ?", arguments: [id])
            for node in nodes {
                let events = try Row.fetchAll(
                    db, sql: "SELECT sequence, kind FROM event WHERE node = ? ORDER BY sequence", arguments: [node])
                let kinds = events.map { $0["kind"] as String }
                #expect(events.map { $0["sequence"] as Int } == Array(1...14))
                #expect(kinds.first == "willBeginCapture" && kinds.last == "didFinishCapture")
                for (kind, count) in [("willCapturePhoto", 3), ("didCapturePhoto", 3), ("didFinishProcessingPhoto", 6)]
                {
                    #expect(kinds.filter { $0 == kind }.count == count)
                }
            }
            let photos = try Row.fetchAll(db, sql: "SELECT * FROM photo WHERE state = 'stored'").map(PhotoRow.init)
            #expect(photos.count == 24)
            return photos
        }
    }

    private func expectFiles(_ library: String, _ photos: [PhotoRow]) throws {
        for photo in photos {
            let path = library + "/" + photo.path
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == photo.byteCount)
            let sum = try run("/usr/bin/sha256sum", [path]).output
            #expect(sum.hasPrefix(photo.sha256))
        }
    }

    /// Programs that are not ours accept the files, and read the exposure that the catalogue holds.
    private func expectReaders(_ library: String, _ photos: [PhotoRow]) throws {
        for photo in photos {
            let path = library + "/" + photo.path
            let reader =
                photo.format == "jpeg"
                ? try run("/usr/bin/djpeg", ["-outfile", "/dev/null", path])
                : try run("/usr/bin/dcraw_emu", ["-Z", "/dev/null", path])
            #expect(reader.status == 0, "\(path): \(reader.errors)")
        }
        let files = photos.map { library + "/" + $0.path }
        let validation = try run("/usr/bin/exiftool", ["-validate", "-s3"] + files).output
        #expect(!validation.contains("Warning") && !validation.contains("Error"), "\(validation)")
        let json = try run("/usr/bin/exiftool", ["-json", "-n"] + files).output
        let rows = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] ?? []
        #expect(rows.count == 24)
        for (row, photo) in zip(rows, photos) {
            let exposure = try #require(row["ExposureTime"] as? Double)
            #expect(abs(exposure - photo.exposure) <= photo.exposure / 200, "\(photo.path)")
            #expect((row["ISO"] as? Double).map { abs($0 - photo.iso) <= 1 } == true)
        }
        #expect(Set(rows.compactMap { $0["ImageUniqueID"] as? String }).count == 24)
        #expect(Set(rows.compactMap { $0["SerialNumber"] as? String }).count == 4)
    }

    /// Each step gives four times the light of the one before, where nothing clips: seen in the pictures themselves.
    private func expectBrighter(_ library: String, _ photos: [PhotoRow]) throws {
        for node in Set(photos.map(\.node)) {
            let steps = try (1...3).map { step in
                let photo = try #require(photos.first { $0.node == node && $0.step == step && $0.format == "jpeg" })
                return try linearPixels(library + "/" + photo.path)
            }
            for (dark, bright) in zip(steps, steps.dropFirst()) {
                let ratios = zip(dark, bright).filter { $0 > 0.02 && $1 < 0.9 }.map { $1 / $0 }.sorted()
                #expect(ratios.count > 1000)
                let median = ratios[ratios.count / 2]
                #expect(abs(log2(median) - 2) < 0.25, "\(node): \(log2(median)) stops")
            }
        }
    }

    /// Every 31st pixel's green, off the sRGB curve.
    private func linearPixels(_ path: String) throws -> [Double] {
        let scratch = try Scratch()
        let file = scratch.path + "/picture.ppm"
        #expect(try run("/usr/bin/djpeg", ["-pnm", "-outfile", file, path]).status == 0)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let pixels = bytes.suffix(640 * 480 * 3)
        return stride(from: pixels.startIndex + 1, to: pixels.endIndex, by: 93).map { index in
            let value = Double(pixels[index]) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
    }
}
