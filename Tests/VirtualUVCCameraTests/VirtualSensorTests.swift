import CaptureModel
import PhotoCapture
import Testing

@testable import VirtualUVCCamera

@Suite("A virtual sensor")
struct VirtualSensorTests {
    private let mode = VideoMode()

    /// The exposure of the frame after it was written, in microseconds.
    private func exposure(_ units: Int64, change: (inout CameraCharacter) -> Void) -> Int64 {
        var camera = VirtualCameraConfiguration()
        change(&camera.character)
        var sensor = VirtualSensor(camera, [.autoExposureMode: 1, .exposureTimeAbsolute: 100])
        _ = sensor.begin(mode)
        sensor.wrote(.exposureTimeAbsolute, units)
        return sensor.begin(mode).exposure.nanoseconds / 1000
    }

    @Test("makes the exposures that it is told to, or others where that is its habit")
    func habits() {
        #expect(exposure(40) { _ in } == 4000)
        #expect(exposure(40) { $0.exposureUnit = 2 } == 8000)
        #expect(exposure(40) { $0.exposureStep = 16 } == 3200)
        #expect(exposure(3) { $0.exposureStep = 16 } == 1600)
        #expect(exposure(400) { $0.exposureLimit = 120 } == 12_000)
        #expect(exposure(40) { $0.keepsMetering = true } == 10_000, "what its automatic began with")
    }

    @Test("tells nobody that its automatic goes on")
    func metering() {
        var camera = VirtualCameraConfiguration()
        camera.character.keepsMetering = true
        var sensor = VirtualSensor(camera, [.autoExposureMode: 1, .exposureTimeAbsolute: 100])
        let bright = LuminanceGrid(samples: Array(repeating: 0.9, count: LuminanceGrid.columns * LuminanceGrid.rows))
        let first = sensor.begin(mode)
        for _ in 0..<20 { #expect(sensor.meter(sensor.begin(mode), bright).isEmpty) }
        #expect(sensor.begin(mode).exposure < first.exposure)
    }
}
