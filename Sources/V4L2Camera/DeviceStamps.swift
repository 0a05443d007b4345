import CaptureModel
import PhotoCapture
import Posix
import Video4Linux

/// What a USB camera's own clock says about its frames, from the payload headers of uvcvideo's metadata node.
///
/// Cameras leave their clocks out, let them stop, or fill them with nonsense: see ``StampTrial``.
final class DeviceStamps {
    /// A frame's headers wait until the frame itself is taken.
    private static let bufferCount = 8
    /// The longest ago that a header may have been received, in nanoseconds.
    private static let oldest = Int64.seconds(10)
    /// An isochronous transfer has 32 packets (`UVC_MAX_PACKETS`), one every 125 µs at high speed, and then the driver
    /// has to get to it: a clock that keeps step with the bus is always equally far from its end. In nanoseconds.
    private static let transfer: Int64 = 6_000_000
    /// A bulk transfer is received once it has this many bytes.
    private static let bulkByteCount = 16_384

    private let buffers: BufferQueue
    private let moment: DeviceStamp.Moment
    private var clock: DeviceClock
    private var trial: StampTrial
    /// The newest frames' clocks.
    private var newest: [(sequence: UInt32, presentationTime: UInt32)] = []

    /// Starts listening to a camera's headers; nil where its driver hands out none, or another program has them.
    ///
    /// To be done before the frames' own buffers exist: from then on uvcvideo refuses to set the headers' format.
    ///
    /// - Parameters:
    ///   - moment: what the camera stamps.
    ///   - frameDuration: from frame to frame, in nanoseconds.
    init?(of device: VideoDevice, _ format: ActiveFormat, _ moment: DeviceStamp.Moment, frameDuration: Int64) {
        // At full speed a transfer takes 32 ms.
        guard device.capability.driver == "uvcvideo", let stream = DeviceLocator.usbStream(ofNode: device.path),
            stream.megabits >= 480, let node = DeviceLocator.metadataNode(ofNode: device.path)
        else { return nil }
        // Bytes come as they are read out, and nobody knows how many a compressed frame has.
        let isCompressed = format.bytesPerLine == 0
        let share = isCompressed ? 1 : min(1, Double(Self.bulkByteCount) / Double(max(1, format.imageSize)))
        clock = DeviceClock(leastTransport: Self.transfer + (stream.isBulk ? Int64(share * Double(frameDuration)) : 0))
        do throws(SystemError) {
            try node.setMetadataFormat()
            let buffers = try BufferQueue(device: node, content: .metadata, count: Self.bufferCount)
            try buffers.streamOn()
            self.buffers = buffers
            self.moment = moment
            trial = StampTrial(frameDuration: frameDuration)
        } catch {
            return nil
        }
    }

    deinit {
        try? buffers.streamOff()
    }

    /// Stamps a frame that has just arrived, where the camera's clock is to be believed.
    ///
    /// - Parameter longestExposure: the longest among the frames that may come now, in nanoseconds.
    func stamp(_ arrived: inout FrameInfo, longestExposure: Int64) {
        drain()
        guard let frame = newest.last(where: { $0.sequence == arrived.sequence }),
            let reading = clock.time(of: frame.presentationTime)
        else { return }
        guard trial.frame(arrived.sequence, reading, arrival: arrived.timestamp, longestExposure: longestExposure)
        else { return }
        arrived.stamp = .deviceClock(
            DeviceStamp(
                moment, uncertaintyNanoseconds: reading.uncertaintyNanoseconds, arrival: arrived.timestamp))
        arrived.timestamp = reading.time
    }

    private func drain() {
        // A driver that fails here fails with its frames as well, and says so there.
        for _ in 0..<Self.bufferCount {
            guard let buffer = (try? buffers.dequeue()) ?? nil else { return }
            var headers: [UVCHeader] = []
            buffers.withBytes(of: buffer) { headers = UVCHeader.headers(in: $0) }
            // What was not received just now is not a header in the format that was asked for.
            let now = Clocks.monotonicNanoseconds()
            headers.removeAll { !(now - Self.oldest...now).contains($0.receivedAt) }
            clock.note(headers.compactMap { header in header.sourceClock.map { ($0, header.receivedAt) } })
            if let time = UVCHeader.presentationTime(of: headers) {
                newest = newest.suffix(Self.bufferCount) + [(buffer.sequence, time)]
            }
            guard (try? buffers.queue(buffer.index)) != nil else { return }
        }
    }
}
