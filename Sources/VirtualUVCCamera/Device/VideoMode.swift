package import CaptureModel

/// What the camera can be told to stream; the numbers are those of its descriptors.
struct VideoMode: Hashable, Sendable {
    enum Format: UInt8, Hashable, Sendable, CaseIterable {
        case yuyv = 1, mjpeg
    }

    var format = Format.yuyv
    /// 1 for the first size.
    var frameIndex: UInt8 = 1
    /// In 100 ns, as UVC counts.
    var interval: UInt32 = VideoMode.intervals[0]

    /// Frames a second: 30, 15, 10, 5, 2.
    static let intervals: [UInt32] = [333_333, 666_666, 1_000_000, 2_000_000, 5_000_000]

    var frameDuration: Int64 { Int64(interval) * 100 }
}

/// What a virtual camera is.
package struct VirtualCameraConfiguration: Sendable {
    /// Chooses what the camera sees.
    package var seed: UInt64 = 1
    /// The USB serial number.
    package var serial = "VOLLEY-1"
    package var product = "Volley Virtual Camera"
    /// The sizes on offer, the first one by default.
    package var sizes = [Dimensions(width: 320, height: 180), Dimensions(width: 640, height: 360)]
    /// Frames from the first frame that could have obeyed an exposure to the one that does.
    package var exposureDelay = 0
    package var gainDelay = 0
    package var character = CameraCharacter()
    /// From the end of a frame to its first byte on the bus, at least, in nanoseconds.
    package var latency: Int64 = 0
    /// How much longer it can take, evenly, in nanoseconds.
    package var jitter: Int64 = 0

    package init() {}
}
