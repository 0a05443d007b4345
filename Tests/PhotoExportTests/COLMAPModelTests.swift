import CaptureModel
import Foundation
import Testing

@testable import PhotoExport

/// Held against a model that pycolmap 4.2.1 wrote (`synthesize_dataset`), in both forms.
@Suite("A model of COLMAP")
struct COLMAPModelTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("COLMAPModel").path

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/" + name))
    }

    @Test("says the same in both forms, as COLMAP wrote it")
    func forms() throws {
        let binary = try COLMAPModel(folder: Self.folder + "/binary").images
        let text = try COLMAPModel(folder: Self.folder + "/text").images
        #expect(binary.count == 3 && binary.map(\.name).sorted() == text.map(\.name).sorted())
        for (one, other) in zip(binary.sorted { $0.name < $1.name }, text.sorted { $0.name < $1.name }) {
            #expect(one.intrinsics == other.intrinsics)
            #expect((one.pose.centre - other.pose.centre).length < 1e-12)
        }
        // As an editor of Windows leaves it.
        let windows = try ["cameras", "images"].map { name in
            Data(String(decoding: try bytes("text/\(name).txt"), as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        }
        #expect(try COLMAPReading.text(cameras: windows[0], images: windows[1]) == text)
        let last = try #require(text.last)
        #expect(last.name == "camera000003_frame000000.png" && last.intrinsics.focalLengthX == 600)
        #expect(last.intrinsics.k1 == 0.05 && last.intrinsics.k2 == -0.01)
        #expect(last.pose.translation.z == 5.0302446871534361)
    }

    @Test("that is cut short, or of a lens that is not known, is refused wherever that is")
    func damage() throws {
        let (cameras, images) = (try bytes("binary/cameras.bin"), try bytes("binary/images.bin"))
        for count in 0..<images.count {
            #expect(throws: COLMAPReading.Failure.self) {
                try COLMAPReading.binary(cameras: cameras, images: images.prefix(count))
            }
        }
        for count in 0..<cameras.count {
            #expect(throws: COLMAPReading.Failure.self) {
                try COLMAPReading.binary(cameras: cameras.prefix(count), images: images)
            }
        }
        var fisheye = cameras
        fisheye[12] = 5
        #expect(throws: COLMAPReading.Failure.self) { try COLMAPReading.binary(cameras: fisheye, images: images) }
        // A number of points that no memory holds.
        var endless = images
        let start = try #require(images.firstRange(of: Data("000.png\0".utf8))).upperBound
        for index in start..<start + 8 { endless[index] = 0xFF }
        #expect(throws: COLMAPReading.Failure.self) { try COLMAPReading.binary(cameras: cameras, images: endless) }
        #expect(throws: COLMAPReading.Failure.self) {
            try COLMAPReading.text(cameras: try bytes("text/cameras.txt"), images: Data("1 1 0 0\n\n".utf8))
        }
        let tangential = Data("1 OPENCV 640 480 600 600 320 240 0 0 0.01 0\n".utf8)
        #expect(throws: COLMAPReading.Failure.self) {
            try COLMAPReading.text(cameras: tangential, images: try bytes("text/images.txt"))
        }
        #expect(throws: COLMAPModel.Problem.self) { try COLMAPModel(folder: Self.folder) }
    }

    @Test("knows the photos of an export by their paths")
    func names() throws {
        let photo = try #require(COLMAPLayout.photo("node-1/1795739637319140_02.jpg"))
        #expect(photo == ("node-1" as NodeName, UniqueID(rawValue: 1_795_739_637_319_140)))
        #expect(COLMAPLayout.photo("images/top/17_01.jpg")?.0 == "top")
        for path in ["17_01.jpg", "top/x.jpg", "", "../17_01.jpg"] {
            #expect(COLMAPLayout.photo(path) == nil, "\(path)")
        }
    }
}
