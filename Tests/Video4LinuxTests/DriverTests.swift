import Foundation
import Posix
import Testing
import Video4Linux

/// Set by the script that runs these tests in the guest, where the kernel has vivid's cameras.
private let hasCameras = ProcessInfo.processInfo.environment["VOLLEY_VIVID"] != nil

@Suite(
    "A kernel's own driver (vivid)", .enabled(if: hasCameras, "runs in the guest: see GuestTests"), .serialized,
    .timeLimit(.minutes(2)))
struct DriverTests {
    private let path = "/dev/video0"

    @Test("is found by its path, by its place on the bus, and says what it can do")
    func found() throws {
        let device = try DeviceLocator.open(path)
        #expect(device.capability.driver == "vivid" && device.capability.canCapture)
        #expect(try DeviceLocator.open("video0").capability.busInfo == device.capability.busInfo)
        #expect(try DeviceLocator.open(device.capability.busInfo).path == path)
        #expect(DeviceLocator.nodePaths().prefix(4) == ["/dev/video0", "/dev/video1", "/dev/video2", "/dev/video3"])
        #expect(DeviceLocator.serialNumber(ofNode: path) == nil, "vivid has none")
    }

    @Test("lists formats, sizes and intervals, and takes one of each")
    func formats() throws {
        let device = try VideoDevice(path: path)
        #expect(try device.formats().contains { $0.pixelFormat == .yuyv && !$0.isCompressed })
        #expect(try device.frameSizes(.yuyv).contains(.discrete(width: 640, height: 360)))
        let intervals = try device.frameIntervals(.yuyv, width: 640, height: 360)
        #expect(intervals.contains { $0.nanoseconds == 1_000_000_000 / 15 })
        let format = try device.setFormat(.yuyv, width: 640, height: 360)
        #expect(format.width == 640 && format.height == 360 && format.bytesPerLine == 1280)
        #expect(try device.activeFormat() == format)
        let interval = try device.setFrameInterval(FrameInterval(numerator: 1, denominator: 15))
        #expect(interval == device.frameInterval())
    }

    @Test("has controls with ranges, menus and flags, and refuses what cannot be with the control's name")
    func controls() throws {
        let device = try VideoDevice(path: path)
        let controls = try device.controls()
        let brightness = try #require(controls.first { $0.name == "Brightness" })
        #expect(brightness.kind == .integer && brightness.minimum == 0 && brightness.maximum == 255)
        let pattern = try #require(controls.first { $0.name == "Test Pattern" })
        #expect(pattern.kind == .menu && pattern.menu.count == Int(pattern.maximum) + 1)
        #expect(pattern.menu.contains { $0.name.contains("Gray Ramp") })
        let integers = try #require(controls.first { $0.kind == .integerMenu })
        #expect(integers.menu.contains { $0.value != nil })
        #expect(
            controls.contains { $0.flags.contains(.volatile) } && controls.contains { $0.flags.contains(.inactive) })
        #expect(!controls.contains { $0.id == .exposureAbsolute })
        try device.setValue(100, of: brightness)
        #expect(try device.value(of: brightness) == 100)
        let readOnly = try #require(controls.first { $0.flags.contains(.readOnly) && $0.kind == .integer })
        let error = #expect(throws: SystemError.self) { try device.setValue(1, of: readOnly) }
        #expect(error?.errno == 13 && error?.call == "VIDIOC_S_EXT_CTRLS")
        #expect(error?.subject.contains(readOnly.name) == true)
    }

    @Test("tells of a control that somebody else changes")
    func controlEvents() throws {
        let device = try VideoDevice(path: path)
        let other = try VideoDevice(path: path)
        let brightness = try #require(try device.controls().first { $0.name == "Brightness" })
        try device.subscribe(to: brightness.id)
        #expect(try device.dequeueControlEvent() == nil)
        try other.setValue(77, of: brightness)
        #expect(try device.wait(milliseconds: 5000, wakeUp: WakeUp()).contains(.controlEvent))
        let event = try #require(try device.dequeueControlEvent())
        #expect(event.id == brightness.id && event.value == 77)
    }

    @Test("streams mapped frames with number, time and its source, and is busy for anybody else")
    func streams() throws {
        let device = try VideoDevice(path: path)
        let format = try device.setFormat(.yuyv, width: 320, height: 180)
        let source = try #require(try device.controls().first { $0.name == "Timestamp Source" })
        try device.setValue(1, of: source)
        let queue = try BufferQueue(device: device, count: 4)
        let rival = try VideoDevice(path: path)
        let error = #expect(throws: SystemError.self) {
            _ = try BufferQueue(device: rival, count: 4)
        }
        #expect(error?.errno == 16 && error?.call == "VIDIOC_REQBUFS")
        try queue.streamOn()
        var frames: [DequeuedBuffer] = []
        while frames.count < 5 {
            #expect(try device.wait(milliseconds: 5000, wakeUp: WakeUp()).contains(.frame))
            guard let frame = try queue.dequeue() else { continue }
            var byteCount = 0
            queue.withBytes(of: frame) { byteCount = $0.count }
            #expect(byteCount == format.imageSize)
            frames.append(frame)
            try queue.queue(frame.index)
        }
        try queue.streamOff()
        #expect(frames.allSatisfy { $0.isMonotonic && $0.isStartOfExposure && !$0.isError })
        for (first, second) in zip(frames, frames.dropFirst()) {
            #expect(second.sequence > first.sequence && second.timestampNanoseconds > first.timestampNanoseconds)
        }
    }

    @Test("has its Bayer frames converted by libv4lconvert")
    func converts() throws {
        let device = try VideoDevice(path: path)
        let converter = try FormatConverter(device: device)
        let format = ActiveFormat(
            pixelFormat: try #require(PixelFormat("GRBG")), width: 320, height: 180, bytesPerLine: 320,
            imageSize: 320 * 180, isFullRange: true)
        let grey = [UInt8](repeating: 128, count: 320 * 180)
        let converted = try grey.withUnsafeBytes { try converter.yuv420(from: $0, format: format) }
        #expect(converted.count == 320 * 180 * 3 / 2)
        #expect(converted.prefix(320 * 180).allSatisfy { (120...135).contains($0) })
    }

    @Test("gives each frame the control values of its own request")
    func requests() throws {
        let device = try VideoDevice(path: path)
        let format = try device.setFormat(.grey, width: 320, height: 180)
        let media = try #require(MediaDevice.controller(of: device))
        let brightness = try #require(try device.controls().first { $0.name == "Brightness" })
        let queue = try BufferQueue(device: device, count: 4)
        #expect(device.supportsRequests)
        let requests = try (0..<queue.count).map { _ in try media.allocateRequest() }
        var wanted: [Int64] = []
        for (index, request) in requests.enumerated() {
            wanted.append(Int64(15 * index))
            try device.setValue(wanted[index], of: brightness, in: request)
        }
        try queue.streamOn(requests)
        var seen: [(value: Int64, luma: Int)] = []
        while seen.count < 12 {
            #expect(try device.wait(milliseconds: 5000, wakeUp: nil).contains(.frame))
            guard let frame = try queue.dequeue() else { continue }
            #expect(try device.value(of: brightness, in: requests[frame.index]) == wanted[frame.index])
            var luma = 0
            queue.withBytes(of: frame) { bytes in luma = bytes.reduce(0) { $0 + Int($1) } / bytes.count }
            seen.append((wanted[frame.index], luma))
            wanted[frame.index] = Int64(seen.count * 17 % 60)
            try requests[frame.index].reinitialize()
            try device.setValue(wanted[frame.index], of: brightness, in: requests[frame.index])
            try queue.queue(frame.index, requests[frame.index])
        }
        try queue.streamOff()
        #expect(format.pixelFormat == .grey)
        // The picture follows, frame by frame: up to 60 nothing clips.
        let sorted = seen.sorted { $0.value < $1.value }
        for (darker, brighter) in zip(sorted, sorted.dropFirst()) where brighter.value > darker.value {
            #expect(brighter.luma > darker.luma, "\(seen)")
        }
    }
}
