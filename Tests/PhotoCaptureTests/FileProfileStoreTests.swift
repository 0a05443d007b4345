import CaptureModel
import Foundation
import PhotoCapture
import Testing

@Suite("The folder of profiles")
struct FileProfileStoreTests {
    @Test("may be shared by nodes of one board: each keeps what it knows of its own camera, and nothing else")
    func shared() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let camera = CameraCapabilities(
            cameraID: "c", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YUYV",
            dimensions: Dimensions(width: 4, height: 4), frameDurationNanoseconds: 1, formats: [.jpeg],
            maxBracketedCapturePhotoCount: 1)
        for (serial, offset) in [("a", 1), ("b", 2), ("a", 3)] as [(String, Int64)] {
            var profile = CameraProfile(
                modelID: "m", pixelFormat: "YUYV", delays: ControlDelays(2), source: .known, response: nil)
            profile.startOffsets = [serial: offset]
            let lamp = LampMeasurement(
                capture: UniqueID(rawValue: offset), uncertaintyNanoseconds: 5, referenceUncertaintyNanoseconds: 6,
                exposureDuration: ExposureDuration(nanoseconds: 7), source: .arrival)
            profile.lamps = [serial: StartMeasurement(lamp, camera)]
            try FileProfileStore(folder: folder.path).keep(profile)
        }
        let kept = FileProfileStore(folder: folder.path).profile(of: camera)
        #expect(kept?.startOffsets == ["a": 3, "b": 2])
        #expect(kept?.lamps?.mapValues(\.lamp.capture.rawValue) == ["a": 3, "b": 2])
        var moved = CameraProfile(
            modelID: "m", pixelFormat: "YUYV", delays: ControlDelays(2), source: .known, response: nil)
        moved.startOffsets = ["a": 4]
        try FileProfileStore(folder: folder.path).keep(moved)
        let known = FileProfileStore(folder: folder.path).profile(of: camera)
        #expect(known?.startOffsets == ["a": 4, "b": 2] && known?.lamps?.keys.sorted() == ["b"])
    }
}
