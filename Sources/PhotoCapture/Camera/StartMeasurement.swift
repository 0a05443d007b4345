package import CaptureModel

/// What a lamp showed of a camera's stamps, and the mode in which it did: in another one frames take another time to
/// arrive.
package struct StartMeasurement: Hashable, Sendable, Codable {
    package var lamp: LampMeasurement
    package var dimensions: Dimensions
    package var frameDurationNanoseconds: Int64

    /// In the mode that a camera is in.
    package init(_ lamp: LampMeasurement, _ camera: CameraCapabilities) {
        self.lamp = lamp
        dimensions = camera.dimensions
        frameDurationNanoseconds = camera.frameDurationNanoseconds
    }

    /// Whether it still holds.
    func holds(_ source: TimestampSource, _ camera: CameraCapabilities) -> Bool {
        source == lamp.source && self == StartMeasurement(lamp, camera)
    }
}
