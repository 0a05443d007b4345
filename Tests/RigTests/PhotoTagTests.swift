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
}
