import CaptureModel
import Foundation
import PhotoCapture
import SimulatedCamera
import Testing

private func session(_ configure: (inout SimulatedCameraConfiguration) -> Void = { _ in }) throws -> Rig {
    var configuration = SimulatedCameraConfiguration(seed: 1)
    configuration.dimensions = Dimensions(width: 160, height: 120)
    configuration.frameDuration = 10_000_000
    configure(&configuration)
    let rig = try Rig(configuration)
    try rig.session.startRunning()
    return rig
}

/// A session with a simulated camera and a photo output.
private struct Rig {
    let session = CaptureSession(retryInterval: .milliseconds(20))
    let device: CaptureDevice
    let photoOutput = PhotoOutput()

    init(_ configuration: SimulatedCameraConfiguration) throws {
        device = CaptureDevice(SimulatedCamera(configuration))
        try session.addInput(device)
        try session.addOutput(photoOutput)
    }

    func stopRunning() { try? session.stopRunning() }
}

private func events(_ session: Rig, _ settings: some PhotoCaptureSettings) async throws
    -> [PhotoCaptureEvent]
{
    let prepared = try await session.photoOutput.prepare(settings)
    var events: [PhotoCaptureEvent] = []
    for await timed in try session.photoOutput.fire(prepared) { events.append(timed.event) }
    return events
}

private func photos(_ events: [PhotoCaptureEvent]) -> [Photo] {
    events.compactMap { if case .didFinishProcessingPhoto(let photo) = $0 { photo } else { nil } }
}

private func count(_ events: [PhotoCaptureEvent], _ kind: CaptureEventKind) -> Int {
    events.filter { $0.kind == kind }.count
}

private func expectDebtPaid(_ events: [PhotoCaptureEvent], exposures: Int, photos: Int) {
    #expect(events.first?.kind == .willBeginCapture)
    #expect(events.last?.kind == .didFinishCapture)
    #expect(count(events, .willBeginCapture) == 1 && count(events, .didFinishCapture) == 1)
    #expect(count(events, .willCapturePhoto) == exposures)
    #expect(count(events, .didCapturePhoto) == exposures)
    #expect(count(events, .didFinishProcessingPhoto) == photos)
}

@Suite("A preview")
struct PreviewTests {
    @Test("comes with a RAW photo too where nothing is processed, and shows what the processed one would")
    func raw() async throws {
        let rig = try session()
        defer { rig.stopRunning() }
        var previews: [YUVImage] = []
        for format in [PhotoFormat.dng, .jpeg] {
            var settings = PhotoSettings(formats: [format])
            settings.previewPhotoDimensions = Dimensions(width: 40, height: 40)
            let photo = try #require(photos(try await events(rig, settings)).first)
            #expect(photo.resolvedSettings.previewDimensions == Dimensions(width: 40, height: 30))
            previews.append(try #require(photo.preview))
        }
        #expect(previews.map(\.dimensions) == Array(repeating: Dimensions(width: 40, height: 30), count: 2))
        let off = zip(previews[0].planes[0], previews[1].planes[0]).map { abs(Int($0) - Int($1)) }.sorted()
        #expect(off[off.count / 2] <= 6, "half of the pixels are off by more than \(off[off.count / 2])")
    }
}

@Suite("What was applied")
struct AppliedTests {
    @Test("is told of every photo, also of what all steps have in common and is written once")
    func shared() async throws {
        let rig = try session()
        defer { rig.stopRunning() }
        var shared = ControlValues()
        shared.whiteBalance = .gains(WhiteBalanceGains(red: 2, green: 1, blue: 1.5))
        let bracket = try Bracket((0..<3).map { _ in .burst })
        let prepared = try await rig.photoOutput.prepare(
            PhotoBracketSettings(formats: [.jpeg], bracketedSettings: bracket), shared: shared)
        var events: [PhotoCaptureEvent] = []
        for await timed in try rig.photoOutput.fire(prepared) { events.append(timed.event) }
        #expect(
            photos(events).map(\.record.appliedWhiteBalance) == [
                shared.whiteBalance, shared.whiteBalance, shared.whiteBalance,
            ])
        #expect(photos(events).allSatisfy { $0.record.appliedLensPosition == nil })
    }
}

private func automatic(_ formats: [PhotoFormat] = [.jpeg, .dng]) throws -> PhotoBracketSettings {
    PhotoBracketSettings(
        formats: formats,
        bracketedSettings: try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) }))
}

@Suite("A capture on the simulated camera", .timeLimit(.minutes(1)))
struct SimulatedCaptureTests {
    @Test("of three biases in two formats delivers six photos, each verified, two stops apart")
    func automaticBracket() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let events = try await events(session, automatic())
        expectDebtPaid(events, exposures: 3, photos: 6)
        let photos = photos(events)
        #expect(photos.map(\.record.photoCount) == [1, 2, 3, 4, 5, 6])
        #expect(photos.map(\.record.sequenceCount) == [1, 1, 2, 2, 3, 3])
        #expect(photos.allSatisfy { $0.record.verification == .verified && $0.fileData != nil })
        let light = photos.filter { $0.record.format == .dng }.map { photo in
            (photo.record.verified?.duration?.seconds ?? 0) * (photo.record.verified?.iso ?? 0)
        }
        #expect(abs(light[1] / light[0] - 4) < 0.1 && abs(light[2] / light[1] - 4) < 0.1)
        let frames = photos.compactMap(\.record.frameSequence)
        #expect(frames[4] - frames[0] == 2, "three steps come from three consecutive frames")
    }

    @Test("takes a wrongly exposed frame again")
    func wrongExposure() async throws {
        let session = try session { configuration in
            for frame in stride(from: UInt32(1), to: 400, by: 3) { configuration.faults[frame] = .wrongExposure }
        }
        defer { session.stopRunning() }
        let steps: [BracketedStillImageSettings] = [1, 2, 4].map {
            .manualExposure(exposureDuration: .value(ExposureDuration(nanoseconds: $0 * 1_000_000)), iso: .value(100))
        }
        let events = try await events(session, PhotoBracketSettings(bracketedSettings: try Bracket(steps)))
        expectDebtPaid(events, exposures: 3, photos: 3)
        for photo in photos(events) {
            #expect(photo.record.verified?.duration == photo.record.requested.duration, "\(photo.record)")
        }
    }

    @Test("shows a white balance in its colours, and its grey-world gains take it back")
    func whiteBalance() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let device = session.device
        let neutral = try await device.grayWorldDeviceWhiteBalanceGains()
        try device.lockForConfiguration()
        try await device.setWhiteBalanceModeLocked(
            with: .value(WhiteBalanceGains(red: 2, green: 1, blue: 1)))
        let red = try await device.grayWorldDeviceWhiteBalanceGains()
        // Twice the red light wants half the gain.
        let change = (red.green / red.red) / (neutral.green / neutral.red)
        #expect(abs(change - 2) < 0.3, "\(neutral) \(red)")
    }

    @Test("with settings used before is refused")
    func reuse() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let settings = PhotoSettings()
        _ = try await events(session, settings)
        await #expect(throws: CaptureSettingsError.self) { try await events(session, settings) }
    }

    @Test("without a running session is refused")
    func notRunning() async throws {
        let session = try session()
        session.stopRunning()
        await #expect(throws: CaptureError.self) { try await events(session, PhotoSettings()) }
    }

    @Test("of a single photo has sequenceCount 0")
    func single() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let events = try await events(session, PhotoSettings(formats: [.jpeg]))
        expectDebtPaid(events, exposures: 1, photos: 1)
        #expect(photos(events).first?.record.sequenceCount == 0)
    }

    @Test("that is cancelled pays its debt with errors")
    func cancelled() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let output = session.photoOutput
        let prepared = try await output.prepare(
            PhotoBracketSettings(bracketedSettings: try .burst(64)))
        let stream = try output.fire(prepared, at: MonotonicTime(nanoseconds: .max / 2))
        output.cancel(prepared.uniqueID)
        var events: [PhotoCaptureEvent] = []
        for await timed in stream { events.append(timed.event) }
        expectDebtPaid(events, exposures: 64, photos: 64)
        #expect(photos(events).allSatisfy { $0.record.error?.code == .operationCancelled })
    }

    @Test("tells a delegate the same story")
    func delegate() async throws {
        let session = try session()
        defer { session.stopRunning() }
        let delegate = Recorder()
        try await session.photoOutput.capturePhoto(with: automatic([.jpeg]), delegate: delegate)
        let kinds = await delegate.kinds
        #expect(kinds.first == .willBeginCapture && kinds.last == .didFinishCapture)
        #expect(kinds.count == 11)
    }
}

private actor Recorder: PhotoCaptureDelegate {
    var kinds: [CaptureEventKind] = []

    func photoOutput(_ output: PhotoOutput, willBeginCaptureFor settings: ResolvedPhotoSettings) {
        kinds.append(.willBeginCapture)
    }
    func photoOutput(
        _ output: PhotoOutput, willCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int
    ) {
        kinds.append(.willCapturePhoto)
    }
    func photoOutput(
        _ output: PhotoOutput, didCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int
    ) {
        kinds.append(.didCapturePhoto)
    }
    func photoOutput(_ output: PhotoOutput, didFinishProcessingPhoto photo: Photo, error: CaptureError?) {
        kinds.append(.didFinishProcessingPhoto)
    }
    func photoOutput(
        _ output: PhotoOutput, didFinishCaptureFor settings: ResolvedPhotoSettings, error: CaptureError?
    ) {
        kinds.append(.didFinishCapture)
    }
}
