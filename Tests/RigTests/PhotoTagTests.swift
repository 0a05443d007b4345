import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

/// What photos say of themselves, as exiftool reads it.
@Suite("A photo's tags", .rigTimeLimit)
struct PhotoTagTests {
    private struct Tags: Decodable {
        let fNumber, focalLength: Double?
        let equivalent: Int?
        let model: String?

        enum CodingKeys: String, CodingKey {
            case fNumber = "FNumber"
            case focalLength = "FocalLength"
            case equivalent = "FocalLengthIn35mmFormat"
            case model = "LensModel"
        }
    }

    @Test("say of the lens what its board's configuration says, and else what the camera knows")
    func lens() throws {
        let rig = try LocalRig()
        let plan = try rig.write("plan.yaml", "bracket: {burst: 1}\nformats: [jpeg, tiff, dng]\n")
        let board = try rig.write(
            "node.yaml", "camera: simulated:7\nlens: {fNumber: 4, focalLengthIn35mmFilm: 28mm, model: Wide 28}\n")
        let shot = try rig.program("volley-node", ["shoot", plan, "--config", board, "--output", rig.file("photos")])
        #expect(shot.status == 0, "\(shot.errors)")
        let told = try run("/usr/bin/exiftool", ["-json", "-n", rig.file("photos")])
        let photos = try JSONDecoder().decode([Tags].self, from: Data(told.output.utf8))
        #expect(photos.count == 3)
        for photo in photos {
            #expect(photo.fNumber == 4 && photo.equivalent == 28 && photo.model == "Wide 28")
            // The simulated pinhole's own: a sensor of 6.4 mm sees 1.1 at a distance of 1.
            #expect(photo.focalLength.map { abs($0 - 6.4 / 1.1) < 0.001 } == true)
        }
        let wrong = try rig.write("wrong.yaml", "camera: simulated:7\nlens: {fNumber: f/2.8}\n")
        let refused = try rig.program("volley-node", ["shoot", plan, "--config", wrong])
        #expect(refused.status == 78 && refused.errors.contains("such as 2.8"), "\(refused.errors)")
    }

    @Test("say how a camera is mounted that does not stand upright")
    func orientation() throws {
        let rig = try LocalRig()
        let plan = try rig.write("plan.yaml", "bracket: {burst: 1}\nformats: [jpeg, tiff, dng]\n")
        for (angle, words) in [("90", "Rotate 90 CW"), ("180", "Rotate 180"), ("270", "Rotate 270 CW")] {
            let board = try rig.write("node.yaml", "camera: simulated:7\nrotationAngle: \(angle)\n")
            let folder = rig.file("photos-\(angle)")
            let shot = try rig.program("volley-node", ["shoot", plan, "--config", board, "--output", folder])
            #expect(shot.status == 0, "\(shot.errors)")
            let told = try run("/usr/bin/exiftool", ["-s3", "-q", "-IFD0:Orientation", folder]).output
            #expect(told.split(separator: "\n").map(String.init) == [words, words, words], "\(told)")
        }
        let wrong = try rig.write("wrong.yaml", "camera: simulated:7\nrotationAngle: 45\n")
        let refused = try rig.program("volley-node", ["shoot", plan, "--config", wrong])
        #expect(refused.status == 78 && refused.errors.contains("0, 90, 180 or 270"), "\(refused.errors)")
    }

    @Test("say what the catalogue says, over a whole capture")
    func catalogue() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("top", seed: 1)
        try rig.startNode("door", seed: 2)
        try rig.awaitReady(2)
        let fired = try rig.volley(
            "fire", "--auto", "-2,0,2", "--format", "jpeg", "--format", "tiff", "--format", "dng", "--session",
            "Söhne & \"Töchter\"", "--subject", "<anna>", "--label", "client=A&B", "--label", "desk=1", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        let listed = try rig.volley("photos", "--capture", "last", "--json")
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]], "\(listed)")
        #expect(rows.count == 18)
        for row in rows {
            let path = try #require(row["path"] as? String)
            try expectSame(try tags(rig.library + "/" + path), row)
        }
    }

    private func tags(_ path: String) throws -> [String: Any] {
        let told = try run("/usr/bin/exiftool", ["-json", "-n", "-G1", path])
        let list = try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [[String: Any]]
        return try #require(list?.first)
    }

    private func expectSame(_ tags: [String: Any], _ row: [String: Any]) throws {
        func text(_ key: String) -> String? { tags[key].map { "\($0)" } }
        #expect(text("XMP-volley:CaptureID") == row["uniqueID"].map { "\($0)" })
        #expect(text("XMP-volley:Node") == row["node"] as? String)
        #expect(text("XMP-volley:SequenceCount") == (row["sequenceCount"] as? Int)?.description)
        #expect(text("XMP-volley:Verification") == row["verification"] as? String)
        #expect(text("XMP-volley:Session") == "Söhne & \"Töchter\"" && text("XMP-volley:Subject") == "<anna>")
        #expect(tags["XMP-dc:Subject"] as? [String] == ["client=A&B", "desk=1"])
        #expect(text("ExifIFD:ImageUniqueID") == row["imageUniqueID"] as? String)
        #expect(text("ExifIFD:SerialNumber") == (row["node"] as? String == "top" ? "SIM-1" : "SIM-2"))
        for (word, key) in [("Requested", "requested"), ("Applied", "applied"), ("Verified", "verified")] {
            let setting = try #require(row[key] as? [String: Any])
            let nanoseconds = try #require(setting["durationNanoseconds"] as? Double)
            let seconds = try #require(tags["XMP-volley:\(word)ExposureTime"] as? Double)
            #expect(abs(seconds * 1e9 - nanoseconds) < 1)
            #expect(tags["XMP-volley:\(word)ISO"] as? Double == setting["iso"] as? Double)
        }
        let requested = row["requested"] as? [String: Any]
        #expect(tags["ExifIFD:ExposureCompensation"] as? Double == requested?["exposureTargetBiasEV"] as? Double)
        // In microseconds: the coordinator's UTC may be slewed between the photo and the question.
        let catalogued = try instant(#require(row["exposureStartAt"] as? String))
        let taken = try #require(tags["ExifIFD:DateTimeOriginal"] as? String)
        let exif = "\(taken).\(text("ExifIFD:SubSecTimeOriginal") ?? "")Z"
        #expect(text("XMP-volley:ExposureStart") == exif)
        #expect(text("ExifIFD:OffsetTimeOriginal") == "+00:00")
        let parts = exif.split(separator: " ")
        let written = try instant("\(parts[0].replacing(":", with: "-"))T\(parts[1])")
        #expect(abs(written.rawValue - catalogued.rawValue) < 5000, "\(exif) \(catalogued)")
        let known = try #require(row["exposureStartUncertaintyNanoseconds"] as? Double)
        #expect(tags["XMP-volley:ExposureStartUncertaintyNanoseconds"] as? Double == known)
    }

    private func instant(_ text: String) throws -> UTCTime {
        try JSONDecoder().decode([WallTime].self, from: Data("[\"\(text)\"]".utf8))[0].time
    }
}
