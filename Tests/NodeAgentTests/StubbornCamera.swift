import CaptureModel
import PhotoCapture
import SimulatedCamera
import Synchronization

/// A camera whose driver fails when its lens is moved, as long as it is to.
final class StubbornCamera: Camera {
    private let camera: SimulatedCamera
    let isStubborn = Mutex(false)

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
        if values.lensPosition != nil, isStubborn.withLock({ $0 }) {
            throw CaptureError(.deviceFailed, "VIDIOC_S_CTRL: Input/output error")
        }
        return try camera.write(values)
    }

    func read() throws(CaptureError) -> ControlValues { try camera.read() }
    func isFocusing() throws(CaptureError) -> Bool? { nil }
    func setAutomatic(_ automatic: CameraAutomatic) throws(CaptureError) { camera.setAutomatic(automatic) }
}
