import CaptureModel
import Testing

@testable import PhotoCapture

/// AVCapturePhotoCaptureDelegate, AVCaptureResolvedPhotoSettings and AVCapturePhoto.
@Suite("AVCapturePhotoCaptureDelegate", .timeLimit(.minutes(1)))
struct DelegateRules {
    @Test("willBeginCapture is first, didFinishCapture last, each exactly once")
    func frame() async throws {
        let studio = try Studio()
        let kinds = try await studio.capture(try manual([1, 2, 4])).map(\.kind)
        #expect(kinds.first == .willBeginCapture && kinds.last == .didFinishCapture)
        #expect(kinds.filter { $0 == .willBeginCapture }.count == 1)
        #expect(kinds.filter { $0 == .didFinishCapture }.count == 1)
    }

    @Test("each exposure has its willCapturePhoto before its didCapturePhoto, and that before its photo")
    func order() async throws {
        let studio = try Studio()
        let events = try await studio.capture(try manual([1, 2, 4]))
        for step in 1...3 {
            let will = events.firstIndex { if case .willCapturePhoto(_, step) = $0 { true } else { false } }
            let did = events.firstIndex { if case .didCapturePhoto(_, step) = $0 { true } else { false } }
            let photo = events.firstIndex { event in
                if case .didFinishProcessingPhoto(let photo) = event {
                    photo.record.sequenceCount == step
                } else {
                    false
                }
            }
            #expect(try #require(will) < (try #require(did)) && (try #require(did)) < (try #require(photo)))
        }
    }

    @Test("three steps in RAW and JPEG are six photos: photoCount 1...6, sequenceCount 1...3, 0 outside a bracket")
    func counts() async throws {
        let studio = try Studio()
        let taken = photos(try await studio.capture(try manual([1, 2, 4], formats: [.dng, .jpeg])))
        #expect(taken.map(\.record.photoCount) == [1, 2, 3, 4, 5, 6])
        #expect(taken.map(\.record.sequenceCount) == [1, 1, 2, 2, 3, 3])
        #expect(taken.last?.resolvedSettings.expectedPhotoCount == 6)
        let single = try await studio.capture(PhotoSettings())
        #expect(photos(single).map(\.record.sequenceCount) == [0])
    }

    @Test("the resolved settings are the same for all callbacks; dimensions of what is not made are zero")
    func resolved() async throws {
        let studio = try Studio()
        let events = try await studio.capture(try manual([1, 2], formats: [.jpeg]))
        let all = events.map { event in
            switch event {
            case .willBeginCapture(let settings), .willCapturePhoto(let settings, _), .didCapturePhoto(let settings, _),
                .didFinishCapture(let settings, _):
                settings
            case .didFinishProcessingPhoto(let photo): photo.resolvedSettings
            }
        }
        #expect(Set(all).count == 1)
        #expect(all[0].rawPhotoDimensions == .zero && all[0].photoDimensions == Dimensions(width: 64, height: 48))
    }

    @Test("an unplugged camera leaves every expected callback, with its error, before didFinishCapture")
    func unplugged() async throws {
        let studio = try Studio()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 2, 4, 8])))
        studio.camera.deliver(4)
        studio.camera.unplug()
        var kinds: [CaptureEventKind] = []
        var failed: [Photo] = []
        for await timed in events {
            kinds.append(timed.event.kind)
            if case .didFinishProcessingPhoto(let photo) = timed.event, photo.record.error != nil {
                failed.append(photo)
            }
            if case .didFinishCapture(_, let error) = timed.event { #expect(error?.code == .deviceWasDisconnected) }
        }
        for kind in [CaptureEventKind.willCapturePhoto, .didCapturePhoto, .didFinishProcessingPhoto] {
            #expect(kinds.filter { $0 == kind }.count == 4)
        }
        #expect(kinds.last == .didFinishCapture && !failed.isEmpty)
        #expect(failed.allSatisfy { $0.record.error?.code == .deviceWasDisconnected })
    }

    @Test("a photo with an error has no timestamp and no file, and keeps its resolved settings")
    func failedPhoto() async throws {
        let studio = try Studio()
        let prepared = try await studio.output.prepare(try manual([1, 2]))
        try studio.session.stopRunning()
        var count = 0
        for await timed in try studio.output.fire(prepared) {
            guard case .didFinishProcessingPhoto(let photo) = timed.event else { continue }
            count += 1
            #expect(photo.record.exposureStart == nil && photo.fileData == nil)
            #expect(photo.record.error?.code == .sessionNotRunning)
            #expect(photo.resolvedSettings.uniqueID == prepared.uniqueID)
        }
        #expect(count == 2)
    }

    @Test("a cancelled capture pays its debt with operationCancelled")
    func cancelled() async throws {
        let studio = try Studio()
        let prepared = try await studio.output.prepare(try manual([1, 2, 4]))
        let events = try studio.output.fire(prepared)
        studio.output.cancel(prepared.uniqueID)
        var all: [PhotoCaptureEvent] = []
        for await timed in events { all.append(timed.event) }
        #expect(photos(all).count == 3)
        #expect(photos(all).allSatisfy { $0.record.error?.code == .operationCancelled })
    }

    @Test("a delegate hears every callback also when the task that captures is cancelled")
    func cancelledTask() async throws {
        let studio = try Studio()
        let recorder = Recorder()
        let settings = try manual([1, 2, 4])
        let task = Task { try await studio.output.capturePhoto(with: settings, delegate: recorder) }
        while studio.output.progress.value.exposing.isEmpty { await Task.yield() }
        task.cancel()
        try await task.value
        let kinds = await recorder.kinds
        #expect(kinds.last == .didFinishCapture && kinds.filter { $0 == .didFinishProcessingPhoto }.count == 3)
    }

    @Test("another format aborts what is under way")
    func reconfigured() async throws {
        let studio = try Studio()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 2, 4])))
        try studio.session.setActiveFormat(studio.camera.formats[1])
        var all: [PhotoCaptureEvent] = []
        for await timed in events { all.append(timed.event) }
        #expect(photos(all).allSatisfy { $0.record.error?.code == .sessionConfigurationChanged })
        #expect(photos(all).count == 3 && studio.session.isRunning)
    }

    @Test("a delegate hears the callbacks in the same order")
    func delegate() async throws {
        let studio = try Studio()
        let recorder = Recorder()
        let settings = try manual([1, 2])
        try await studio.frames { try await studio.output.capturePhoto(with: settings, delegate: recorder) }
        let kinds = await recorder.kinds
        #expect(kinds.first == .willBeginCapture && kinds.last == .didFinishCapture && kinds.count == 8)
    }
}

private actor Recorder: PhotoCaptureDelegate {
    var kinds: [CaptureEventKind] = []

    func photoOutput(_ output: PhotoOutput, willBeginCaptureFor settings: ResolvedPhotoSettings) {
        kinds.append(.willBeginCapture)
    }
    func photoOutput(_ output: PhotoOutput, willCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int) {
        kinds.append(.willCapturePhoto)
    }
    func photoOutput(_ output: PhotoOutput, didCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int) {
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
