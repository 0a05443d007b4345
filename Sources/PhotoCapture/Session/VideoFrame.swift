public import CaptureModel
public import PhotoEncoding

/// A frame of the video data output; its place in the pool is free again once it is released.
public final class VideoFrame: Sendable {
    /// Its number and stamp, and what else is known about it.
    package let info: FrameInfo
    /// What it was exposed with, as far as is known.
    public let exposure: Exposure
    /// The picture, still as the driver delivered it.
    package let contents: any FrameContents
    private let onRelease: @Sendable () -> Void

    init(
        info: FrameInfo, exposure: Exposure, contents: any FrameContents, onRelease: @escaping @Sendable () -> Void
    ) {
        self.info = info
        self.exposure = exposure
        self.contents = contents
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }

    /// Counts frames, lost ones included; wraps.
    public var sequence: UInt32 { info.sequence }

    /// Its stamp on this board's CLOCK_MONOTONIC; see ``timestampSource`` for what it marks. Once a camera's own clock
    /// is known, stamps are earlier than before.
    public var timestamp: MonotonicTime { info.timestamp }

    /// What ``timestamp`` marks.
    public var timestampSource: TimestampSource { info.stamp.source }

    /// The picture, converted only on request: a JPEG where the camera makes one, else planes.
    public func processedImage() throws -> ProcessedImage { try contents.processedImage() }
}
