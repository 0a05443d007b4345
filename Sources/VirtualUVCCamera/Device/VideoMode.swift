import CaptureModel

/// What the camera can be told to stream, in the numbers of its descriptors.
struct VideoMode: Hashable, Sendable {
    enum Format: UInt8, Hashable, Sendable, CaseIterable {
        case yuyv = 1, mjpeg
    }

    var format = Format.yuyv
    /// 1 for the first size.
    var frameIndex: UInt8 = 1
    /// In 100 ns, as UVC counts.
    var interval: UInt32 = VideoMode.intervals[0]

    /// The intervals on offer, in 100 ns: 30, 15, 10, 5 and 2 frames a second.
    static let intervals: [UInt32] = [333_333, 666_666, 1_000_000, 2_000_000, 5_000_000]

    var frameDuration: Int64 { Int64(interval) * 100 }
}
