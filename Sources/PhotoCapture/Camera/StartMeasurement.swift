package import CaptureModel

/// What a lamp showed about a camera's stamps, and in which mode: in another mode, frames take a different time to
/// arrive.
package struct StartMeasurement: Hashable, Sendable, Codable {
    /// What was measured.
    package var lamp: LampMeasurement
    /// The size of the frames in that mode.
    package var dimensions: Dimensions
    /// From frame to frame in that mode.
    package var frameDurationNanoseconds: Int64

    /// A measurement in the mode that the camera is in now.
    package init(_ lamp: LampMeasurement, _ camera: CameraCapabilities) {
        self.lamp = lamp
        dimensions = camera.dimensions
        frameDurationNanoseconds = camera.frameDurationNanoseconds
    }

    /// Whether it holds for stamps of this source in the mode that the camera is in now.
    func holds(_ source: TimestampSource, _ camera: CameraCapabilities) -> Bool {
        source == lamp.source && self == StartMeasurement(lamp, camera)
    }
}
