import CaptureModel
import PhotoCapture
import SimulatedCamera
import Synchronization

/// A camera whose driver fails when its lens is moved, as often as it is to.
final class StubbornCamera: Camera {
    private let camera: SimulatedCamera
    let stubbornness = Mutex(0)

    init(seed: UInt64) {
        camera = SimulatedCamera(SimulatedCameraConfiguration(seed: seed))
    }

    var capabilities: CameraCapabilities { camera.capabilities }
    var formats: [CameraFormat] { camera.formats }
    var frameByteCount: Int { camera.frameByteCount }
    var waitingFrameCount: Int { camera.waitingFrameCount }

    func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError) {
        try camera.setFormat(format, frameDuration: frameDuration)
    }

    func startRunning(observer: any CameraObserver, at time: MonotonicTime?) throws(CaptureError) {
        try camera.startRunning(observer: observer, at: time)
    }

    func stopRunning() { camera.stopRunning() }

    func write(_ values: ControlValues) throws(CaptureError) -> ControlValues {
        let isStubborn = stubbornness.withLock { count in
            guard values.lensPosition != nil, count > 0 else { return false }
            count -= 1
            return true
        }
        if isStubborn {
            throw CaptureError(.deviceFailed, "VIDIOC_S_CTRL: Input/output error")
        }
        return try camera.write(values)
    }

    func read() throws(CaptureError) -> ControlValues { try camera.read() }
    func isFocusing() throws(CaptureError) -> Bool? { nil }
    func setAutomatic(_ automatic: CameraAutomatic) throws(CaptureError) { camera.setAutomatic(automatic) }
}
