import CaptureModel
import PhotoCapture
import Posix
import Video4Linux

/// What a USB camera's own clock says of its frames, by the payload headers that uvcvideo's metadata node hands out.
///
/// Cameras leave their clocks out, let them stand, or fill them with nonsense. A stamp is believed where it lies before
/// the frame's arrival by no more than a camera can take, and where those of the frames before it did.
final class DeviceStamps {
    /// A frame's headers wait until the frame itself is taken.
    private static let bufferCount = 8
    /// The frames in a row that must have had a stamp that can be.
    private static let trial = 10
    /// From its stamp to its arrival a frame takes at most this many frames, and this long beside; in nanoseconds.
    private static let (mostFrames, mostBeside): (Int64, Int64) = (5, 40_000_000)
    /// The longest ago that a header was received, in nanoseconds.
    private static let oldest = Int64.seconds(10)

    private let buffers: BufferQueue
    private let moment: DeviceStamp.Moment
    private var clock = DeviceClock()
    /// The newest frames' clocks.
    private var newest: [(sequence: UInt32, presentationTime: UInt32)] = []
    private var lastStamp: UInt32?
    private var believed = 0

    /// Begins to listen to a camera's headers; nil where its driver hands out none, or another program has them.
    ///
    /// It comes before the frames' own buffers: with them uvcvideo refuses to be told the headers' format.
    ///
    /// - Parameter moment: what the camera stamps.
    init?(of device: VideoDevice, _ moment: DeviceStamp.Moment) {
        guard device.capability.driver == "uvcvideo",
            let node = DeviceLocator.metadataNode(ofNode: device.path)
        else { return nil }
        do throws(SystemError) {
            try node.setMetadataFormat()
            let buffers = try BufferQueue(device: node, content: .metadata, count: Self.bufferCount)
            try buffers.streamOn()
            self.buffers = buffers
            self.moment = moment
        } catch {
            return nil
        }
    }

    deinit {
        try? buffers.streamOff()
    }

    /// Stamps a frame that has just arrived, where the camera's clock is to be believed.
    ///
    /// - Parameter pace: from frame to frame or, where that is longer, the exposure, in nanoseconds.
    func stamp(_ arrived: inout FrameInfo, pace: Int64) {
        drain()
        guard let frame = newest.last(where: { $0.sequence == arrived.sequence }),
            let reading = clock.time(of: frame.presentationTime)
        else { return }
        defer { lastStamp = frame.presentationTime }
        let possible = -reading.uncertaintyNanoseconds...Self.mostFrames * pace + Self.mostBeside
        guard possible.contains(arrived.timestamp - reading.time), frame.presentationTime != lastStamp else {
            believed = 0
            return
        }
        believed += 1
        guard believed > Self.trial else { return }
        arrived.stamp = .deviceClock(
            DeviceStamp(
                moment, uncertaintyNanoseconds: reading.uncertaintyNanoseconds, arrival: arrived.timestamp))
        arrived.timestamp = reading.time
    }

    private func drain() {
        // A driver that fails here fails with its frames as well, and says so there.
        while let buffer = (try? buffers.dequeue()) ?? nil {
            var headers: [UVCHeader] = []
            buffers.withBytes(of: buffer) { headers = UVCHeader.headers(in: $0) }
            // What is not of now is no header of the format that was asked for.
            let now = Clocks.monotonicNanoseconds()
            headers.removeAll { !(now - Self.oldest...now).contains($0.receivedAt) }
            clock.note(headers.compactMap { header in header.sourceClock.map { ($0, header.receivedAt) } })
            if let time = headers.compactMap(\.presentationTime).last {
                newest = newest.suffix(Self.bufferCount) + [(buffer.sequence, time)]
            }
            try? buffers.queue(buffer.index)
        }
    }
}
