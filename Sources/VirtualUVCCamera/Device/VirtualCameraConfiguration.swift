package import CaptureModel

/// What a virtual camera is like.
package struct VirtualCameraConfiguration: Sendable {
    /// Chooses what the camera sees.
    package var seed: UInt64 = 1
    /// The USB serial number.
    package var serial = "VOLLEY-1"
    /// The USB product name.
    package var product = "Volley Virtual Camera"
    /// The sizes on offer; the first one is the default.
    package var sizes = [Dimensions(width: 320, height: 180), Dimensions(width: 640, height: 360)]
    /// How many frames later than it could an exposure takes effect.
    package var exposureDelay = 0
    /// How many frames later than it could a gain takes effect.
    package var gainDelay = 0
    /// What it makes of light, controls and time.
    package var character = CameraCharacter()
    /// The least time from the end of a frame to its first byte on the bus, in nanoseconds.
    package var latency: Int64 = 0
    /// How much longer than that it may take, evenly distributed, in nanoseconds.
    package var jitter: Int64 = 0

    package init() {}
}
