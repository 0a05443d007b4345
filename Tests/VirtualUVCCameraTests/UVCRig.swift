import CaptureModel
import Foundation
import Glibc
import PhotoCapture
import PhotoEncoding
import Testing
import V4L2Camera
import Video4Linux
import VirtualUVCCamera

/// A virtual camera in a process of its own, and a session with it through the kernel's uvcvideo.
final class UVCRig {
    /// The path of volley-uvc-camera; only in a guest whose kernel has vhci_hcd and uvcvideo.
    static let program = ProcessInfo.processInfo.environment["VOLLEY_UVC"]

    let device: CaptureDevice
    let session = CaptureSession(retryInterval: .milliseconds(200))
    let output = PhotoOutput()
    private let camera: Process
    private let commands: FileHandle
    private let answers = Pipe()
    private let folder: URL
    private let serial: String
    /// Of the camera as its driver is asked for it.
    let configuration: V4L2CameraConfiguration

    /// - Parameters:
    ///   - options: of the camera, beside the serial number.
    ///   - presentationTime: what the session is told that its clock stamps.
    init(
        serial: String, options: [String] = [], format: PixelFormat = .yuyv,
        framesPerSecond: UInt32 = 10, presentationTime: DeviceStamp.Moment? = nil, controls: [String: Int64] = [:]
    ) async throws {
        self.serial = serial
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("uvc-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let fifo = folder.appendingPathComponent("commands").path
        guard mkfifo(fifo, 0o600) == 0 else { throw CaptureError(.deviceFailed, "mkfifo") }
        camera = Process()
        camera.executableURL = URL(fileURLWithPath: try #require(Self.program))
        camera.arguments = ["--serial", serial, "--commands", fifo] + options
        camera.standardOutput = answers
        try camera.run()
        commands = FileHandle(fileDescriptor: Glibc.open(fifo, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
        var configuration = V4L2CameraConfiguration(device: serial)
        configuration.pixelFormat = format
        (configuration.width, configuration.height) = (320, 180)
        configuration.frameInterval = FrameInterval(numerator: 1, denominator: framesPerSecond)
        configuration.presentationTime = presentationTime
        configuration.controls = controls
        self.configuration = configuration
        device = CaptureDevice(try await Self.open(configuration))
        try session.addInput(device)
        try session.addOutput(output)
        try session.startRunning()
    }

    /// A camera whose controls act late by some frames.
    static func plugged(
        _ serial: String, delay: Int = 0, gainDelay: Int = 0, format: PixelFormat = .yuyv
    ) async throws -> UVCRig {
        try await UVCRig(
            serial: serial, options: ["--exposure-delay", "\(delay)", "--gain-delay", "\(gainDelay)"], format: format)
    }

    deinit {
        try? session.stopRunning()
        try? commands.close()
        // Whatever signals are blocked here, it inherited; the kernel sees an unplug.
        kill(camera.processIdentifier, SIGKILL)
        camera.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func open(_ configuration: V4L2CameraConfiguration) async throws -> V4L2Camera {
        for _ in 0..<100 {
            if let camera = try? V4L2Camera(configuration) { return camera }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try V4L2Camera(configuration)
    }

    /// Tells the virtual camera what to do, and returns when it has: see CameraCommand.
    func command(_ line: String) throws {
        try commands.write(contentsOf: Data((line + "\n").utf8))
        var text = ""
        while !text.contains("done: \(line)\n") {
            text += String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        }
    }

    /// The controls as v4l2-ctl reads them.
    func read() throws -> [String: Int] {
        let path = try #require(DeviceLocator.captureNodes().first { DeviceLocator.serialNumber(ofNode: $0) == serial })
        let (reader, output) = (Process(), Pipe())
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let names = [
            "auto_exposure", "exposure_time_absolute", "focus_automatic_continuous", "focus_absolute",
            "white_balance_automatic", "white_balance_temperature",
        ]
        reader.arguments = ["v4l2-ctl", "-d", path, "-C", names.joined(separator: ",")]
        reader.standardOutput = output
        try reader.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        reader.waitUntilExit()
        let pairs = text.split(separator: "\n").compactMap { line -> (String, Int)? in
            // auto_exposure: 1 (Manual Mode)
            let words = line.split { ": ".contains($0) }
            return words.count > 1 ? Int(words[1]).map { (String(words[0]), $0) } : nil
        }
        return Dictionary(pairs) { $1 }
    }

    /// The events of a bracket, from its first to its last.
    func events(_ bracket: Bracket, during: (Int) async throws -> Void = { _ in }) async throws
        -> [PhotoCaptureEvent]
    {
        let prepared = try await output.prepare(PhotoBracketSettings(bracketedSettings: bracket))
        var events: [PhotoCaptureEvent] = []
        for await timed in try output.fire(prepared) {
            events.append(timed.event)
            try await during(events.count)
        }
        return events
    }
}

/// A photo with what its picture says of itself.
struct ReadPhoto {
    let record: PhotoRecord
    let code: FrameCode?

    init(_ photo: Photo) throws {
        record = photo.record
        guard let bytes = photo.fileData else {
            code = nil
            return
        }
        let small = try bytes.withUnsafeBytes { try JPEGEncoder.thumbnail($0, dimensions: photo.dimensions) }
        code = FrameCode(luma: small.luma, width: small.dimensions.width, scale: 8)
    }
}

func readPhotos(_ events: [PhotoCaptureEvent]) throws -> [ReadPhoto] {
    try events.compactMap { event in
        if case .didFinishProcessingPhoto(let photo) = event { try ReadPhoto(photo) } else { nil }
    }
}

func manualBracket(_ milliseconds: [Double]) throws -> Bracket {
    try Bracket(
        milliseconds.map {
            .manualExposure(exposureDuration: .value(ExposureDuration(seconds: $0 / 1000)), iso: .current)
        })
}

/// Every photo was exposed as its record says, by what its own picture says.
func expectTruth(_ photos: [ReadPhoto], _ count: Int, isVerified: Bool = true) throws {
    #expect(photos.count == count)
    for photo in photos {
        let wanted = try #require(photo.record.requested.duration)
        let code = try #require(photo.code, "\(photo.record)")
        // The device's step is 100 µs.
        #expect(abs(Int64(code.exposure) * 1000 - wanted.nanoseconds) <= 50_000, "\(photo.record)")
        if isVerified { #expect(photo.record.verification == .verified, "\(photo.record)") }
        try expectStart(photo)
    }
}

/// The start lies where the record says that it does, by what the picture says.
func expectStart(_ photo: ReadPhoto, _ source: TimestampSource = .arrival) throws {
    let code = try #require(photo.code, "\(photo.record)")
    let start = try #require(photo.record.exposureStart)
    // The driver says that its stamps are of the start of exposure.
    #expect(start.source == source)
    let error = abs(start.time.nanoseconds - code.exposureStart)
    #expect(error <= start.uncertaintyNanoseconds, "\(error / 1_000_000) ms: \(start)")
}
