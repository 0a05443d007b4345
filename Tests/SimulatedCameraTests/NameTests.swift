import CaptureModel
import SimulatedCamera
import Testing

@Suite("The name of a simulated camera")
struct NameTests {
    @Test("says its seed, its place on the ring and what is special about it")
    func parts() throws {
        let camera = try #require(SimulatedCameraConfiguration(name: "simulated:7@45.5+flash+k1=-0.1"))
        #expect(camera.seed == 7 && camera.degrees == 45.5 && camera.seesFlash && camera.k1 == -0.1)
        let plain = try #require(SimulatedCameraConfiguration(name: "simulated:7"))
        #expect(plain.degrees == nil && !plain.seesFlash && plain.k1 == 0)
        #expect(plain.geometry.camera == "SIM-7")
        #expect(SimulatedCameraConfiguration(name: "simulated:7+spot")?.isSpotlit == true && !plain.isSpotlit)
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "simulated:", "simulated:x", "simulated:7@", "simulated:7@nan", "simulated:7@400", "simulated:7+",
            "simulated:7+k1=9", "simulated:7+other", "v4l2:7", "", "+", "@",
        ])
    func refused(name: String) { #expect(SimulatedCameraConfiguration(name: name) == nil) }
}
