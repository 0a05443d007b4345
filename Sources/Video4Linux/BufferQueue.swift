import CVideo4Linux
import Glibc
package import Posix

/// The owner of a device's mapped buffers; while it lives, the device is taken.
package struct BufferQueue: ~Copyable {
    /// What the buffers hold. C: `V4L2_BUF_TYPE_VIDEO_CAPTURE`, `V4L2_BUF_TYPE_META_CAPTURE`.
    package enum Content: Sendable {
        case frames, metadata

        fileprivate var type: UInt32 {
            switch self {
            case .frames: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            case .metadata: V4L2_BUF_TYPE_META_CAPTURE.rawValue
            }
        }
    }

    private let device: VideoDevice
    private let content: Content
    private let mappings: [UnsafeMutableRawBufferPointer]

    /// Allocates buffers and maps them. The driver may give more or fewer than asked for.
    ///
    /// - Throws: ``SystemError``; EBUSY of `VIDIOC_REQBUFS` when another program has the device.
    package init(device: VideoDevice, content: Content = .frames, count: Int) throws(SystemError) {
        mappings = try Self.allocate(device, content, count)
        self.content = content
        self.device = device
    }

    deinit {
        Self.release(device, content, mappings)
    }

    private static func allocate(
        _ device: VideoDevice, _ content: Content, _ count: Int
    ) throws(SystemError) -> [UnsafeMutableRawBufferPointer] {
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = content.type
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try device.call(cVIDIOC_REQBUFS, &request, "VIDIOC_REQBUFS")
        var mappings: [UnsafeMutableRawBufferPointer] = []
        do {
            for index in 0..<request.count { mappings.append(try map(device, content, index)) }
        } catch {
            release(device, content, mappings)
            throw error
        }
        return mappings
    }

    private static func map(
        _ device: VideoDevice, _ content: Content, _ index: UInt32
    ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        var buffer = Self.buffer(index, content)
        try device.call(cVIDIOC_QUERYBUF, &buffer, "VIDIOC_QUERYBUF")
        let length = Int(buffer.length)
        let address = mmap(
            nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, device.descriptor.rawValue, off_t(buffer.m.offset))
        guard let address, address != MAP_FAILED else { throw .last("mmap", device.path) }
        return UnsafeMutableRawBufferPointer(start: address, count: length)
    }

    private static func release(
        _ device: VideoDevice, _ content: Content, _ mappings: [UnsafeMutableRawBufferPointer]
    ) {
        for mapping in mappings { munmap(mapping.baseAddress, mapping.count) }
        var request = v4l2_requestbuffers()
        request.type = content.type
        request.memory = V4L2_MEMORY_MMAP.rawValue
        // A device that was unplugged refuses; closing it frees the buffers as well.
        try? device.call(cVIDIOC_REQBUFS, &request, "VIDIOC_REQBUFS")
    }

    fileprivate static func buffer(_ index: UInt32, _ content: Content = .frames) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = index
        buffer.type = content.type
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }

    /// How many buffers the driver gave.
    package var count: Int { mappings.count }

    /// Gives every buffer to the driver and begins streaming.
    ///
    /// - Parameter requests: one for each buffer, where frames are to have control values of their own.
    /// - Throws: ``SystemError``; ENOSPC when the USB bus has no bandwidth left for this camera.
    package func streamOn(_ requests: [MediaRequest] = []) throws(SystemError) {
        for index in mappings.indices { try queue(index, requests.isEmpty ? nil : requests[index]) }
        var type = content.type
        try device.call(cVIDIOC_STREAMON, &type, "VIDIOC_STREAMON")
    }

    /// Ends streaming; buffers that were queued come back empty.
    package func streamOff() throws(SystemError) {
        var type = content.type
        try device.call(cVIDIOC_STREAMOFF, &type, "VIDIOC_STREAMOFF")
    }

    /// Gives a buffer to the driver to fill.
    package func queue(_ index: Int, _ request: MediaRequest? = nil) throws(SystemError) {
        var buffer = Self.buffer(UInt32(index), content)
        if let request {
            buffer.flags = UInt32(V4L2_BUF_FLAG_REQUEST_FD)
            buffer.request_fd = request.descriptor.rawValue
        }
        try device.call(cVIDIOC_QBUF, &buffer, "VIDIOC_QBUF")
        try request?.queue()
    }

    /// Takes the next filled buffer from the driver; nil while there is none.
    package func dequeue() throws(SystemError) -> DequeuedBuffer? {
        var raw = Self.buffer(0, content)
        do {
            try device.call(cVIDIOC_DQBUF, &raw, "VIDIOC_DQBUF")
        } catch  where error.errno == EAGAIN {
            return nil
        }
        let seconds = Int64(raw.timestamp.tv_sec) * 1_000_000_000
        let source = raw.flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK)
        return DequeuedBuffer(
            index: Int(raw.index), sequence: raw.sequence,
            timestampNanoseconds: seconds + Int64(raw.timestamp.tv_usec) * 1000,
            isStartOfExposure: source == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE),
            isMonotonic: raw.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
                == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC),
            isError: raw.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
            bytesUsed: min(Int(raw.bytesused), mappings[Int(raw.index)].count))
    }

    /// Lends a dequeued frame's bytes.
    package func withBytes(of buffer: DequeuedBuffer, _ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(mappings[buffer.index]).prefixed(buffer.bytesUsed))
    }
}

extension VideoDevice {
    /// Whether a buffer can be queued with control values of its own.
    ///
    /// It asks for no buffers, so the device is not taken.
    package var supportsRequests: Bool {
        var request = v4l2_create_buffers()
        request.memory = V4L2_MEMORY_MMAP.rawValue
        request.format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard (try? call(cVIDIOC_CREATE_BUFS, &request, "VIDIOC_CREATE_BUFS")) != nil else { return false }
        return request.capabilities & UInt32(V4L2_BUF_CAP_SUPPORTS_REQUESTS) != 0
    }

    /// How many of the first buffers are filled and wait to be dequeued.
    package func waitingBufferCount(of count: Int) -> Int {
        (0..<count).count { index in
            var buffer = BufferQueue.buffer(UInt32(index))
            // Nothing waits on a device that is gone.
            guard (try? call(cVIDIOC_QUERYBUF, &buffer, "VIDIOC_QUERYBUF")) != nil else { return false }
            return buffer.flags & UInt32(V4L2_BUF_FLAG_DONE) != 0
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func prefixed(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: prefix(count))
    }
}
