import CaptureModel
import PhotoEncoding
import Synchronization
import Testing

@testable import PhotoCapture

/// AVCapturePhotoOutput and AVCapturePhotoSettings.
@Suite("AVCapturePhotoOutput", .timeLimit(.minutes(1)))
struct PhotoOutputRules {
    @Test("available formats are empty until the output is in a session with a camera")
    func empty() throws {
        let output = PhotoOutput()
        #expect(output.availablePhotoCodecTypes.isEmpty && output.availableRawPhotoPixelFormatTypes.isEmpty)
        #expect(output.maxBracketedCapturePhotoCount == 0)
        let studio = try Studio(isRunning: false)
        #expect(studio.output.availablePhotoCodecTypes == [.jpeg])
        #expect(studio.output.availableRawPhotoPixelFormatTypes == ["GREY"])
        #expect(studio.output.maxBracketedCapturePhotoCount == 8)
    }

    @Test("a capture without a camera is refused: no active video connection")
    func noConnection() async {
        await expectRefusal(.noActiveVideoConnection) { _ = try await PhotoOutput().prepare(PhotoSettings()) }
    }

    @Test("settings may not be used again")
    func reuse() async throws {
        let studio = try Studio()
        let settings = PhotoSettings()
        _ = try await studio.capture(settings)
        await expectRefusal(.settingsReused) { _ = try await studio.capture(settings) }
        #expect(PhotoSettings(from: settings).uniqueID > settings.uniqueID)
        _ = try await studio.capture(PhotoSettings(from: settings))
    }

    @Test("ids rise within a process")
    func ids() {
        let ids = (0..<100).map { _ in PhotoSettings().uniqueID }
        #expect(ids == ids.sorted() && Set(ids).count == 100)
    }

    @Test("a format that is not available is refused")
    func format() async throws {
        let studio = try Studio { $0.formats = [.jpeg] }
        await expectRefusal(.formatUnavailable) { _ = try await studio.capture(PhotoSettings(formats: [.dng])) }
        await expectRefusal(.noFormat) { _ = try await studio.capture(PhotoSettings(formats: [])) }
    }

    @Test("photoQualityPrioritization must not be higher than the output's")
    func quality() async throws {
        let studio = try Studio()
        studio.output.maxPhotoQualityPrioritization = .speed
        await expectRefusal(.qualityPrioritizationTooHigh) { _ = try await studio.capture(PhotoSettings()) }
    }

    @Test("a prioritization never overrides a custom exposure", arguments: PhotoQualityPrioritization.allCases)
    func honest(prioritization: PhotoQualityPrioritization) async throws {
        let studio = try Studio()
        var settings = try manual([1, 4])
        settings.photo.photoQualityPrioritization = prioritization
        let taken = photos(try await studio.capture(settings))
        #expect(
            taken.map(\.record.verified) == taken.map { Exposure(duration: $0.record.requested.duration, iso: 100) })
    }

    @Test("flash is refused where there is none")
    func flash() async throws {
        let studio = try Studio()
        var settings = PhotoSettings()
        settings.flashMode = .on
        await expectRefusal(.flashUnsupported) { _ = try await studio.capture(settings) }
    }

    @Test("dimensions must be one of the supported ones; larger ones are taken and the stream's put back")
    func dimensions() async throws {
        let studio = try Studio()
        #expect(studio.output.supportedMaxPhotoDimensions.map(\.width) == [64, 128])
        var settings = PhotoSettings()
        settings.maxPhotoDimensions = Dimensions(width: 100, height: 100)
        await expectRefusal(.photoDimensionsUnavailable) { _ = try await studio.capture(settings) }
        settings.maxPhotoDimensions = Dimensions(width: 128, height: 96)
        let taken = photos(try await studio.capture(settings))
        #expect(taken.first?.dimensions == Dimensions(width: 128, height: 96))
        for await progress in studio.output.progress.values() where progress.readiness == .ready { break }
        #expect(studio.camera.capabilities.dimensions.width == 64)
        #expect(photos(try await studio.capture(PhotoSettings())).first?.dimensions.width == 64)
    }

    @Test("a preview and a thumbnail come when they are asked for")
    func preview() async throws {
        let studio = try Studio()
        var settings = PhotoSettings()
        settings.previewPhotoDimensions = Dimensions(width: 32, height: 32)
        settings.embeddedThumbnailPhotoDimensions = Dimensions(width: 16, height: 16)
        let photo = try #require(photos(try await studio.capture(settings)).first)
        #expect(photo.preview?.dimensions == Dimensions(width: 32, height: 24))
        #expect(photo.resolvedSettings.previewDimensions == Dimensions(width: 32, height: 24))
        #expect(photo.resolvedSettings.embeddedThumbnailDimensions == Dimensions(width: 16, height: 12))
        // A JPEG within the file.
        let starts = zip(photo.fileData ?? [], (photo.fileData ?? []).dropFirst()).filter { $0 == (0xFF, 0xD8) }
        #expect(starts.count == 2)
    }

    @Test("several captures may be in flight; their photos come in the order of capture")
    func inFlight() async throws {
        let studio = try Studio()
        let output = studio.output
        let order = try await studio.frames {
            let first = try await output.prepare(try manual([1, 2, 4]))
            let second = try await output.prepare(PhotoSettings())
            let third = try await output.prepare(try manual([2, 4]))
            let streams = try [first, second, third].map { try output.fire($0) }
            return try await withThrowingTaskGroup(of: [TimedPhotoCaptureEvent].self) { group in
                for stream in streams {
                    group.addTask {
                        var events: [TimedPhotoCaptureEvent] = []
                        for await event in stream { events.append(event) }
                        return events
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        let begun = order.filter { $0.event.kind == .didFinishProcessingPhoto }.sorted { $0.time < $1.time }
        let ids = begun.compactMap { event in
            if case .didFinishProcessingPhoto(let photo) = event.event { photo.resolvedSettings.uniqueID } else { nil }
        }
        #expect(ids == ids.sorted() && ids.count == 6)
    }

    @Test("a bracket waits while the photos of those before fill the memory that one may take")
    func memory() async throws {
        let studio = try Studio { $0.maxBracketedCapturePhotoCount = 4 }
        let output = studio.output
        let (first, second) = (
            try await output.prepare(try manual([1, 2, 4])), try await output.prepare(try manual([1, 2, 4]))
        )
        let (unread, other) = (try output.fire(first), try output.fire(second))
        // Nobody takes the first one's photos.
        studio.camera.deliver(20)
        while output.progress.value.exposing.map(\.uniqueID) != [second.uniqueID] { await Task.yield() }
        studio.camera.deliver(20)
        #expect(output.progress.value.exposing.count == 1, "the second waits")
        try await studio.frames {
            for await _ in unread {}
            for await _ in other {}
        }
        #expect(output.progress.value.exposing.isEmpty)
    }

    @Test("a photo right behind a bracket has the exposure that was set, not that of the bracket's last step")
    func behindBracket() async throws {
        let studio = try Studio()
        let before = try await studio.device.settledExposure()
        let bracket = try studio.output.fire(try await studio.output.prepare(try manual([1, 4, 8])))
        let photo = try studio.output.fire(try await studio.output.prepare(PhotoSettings()))
        let taken = try await studio.frames {
            for await _ in bracket {}
            return await photos(photo)
        }
        #expect(taken.map(\.record.verified) == [before])
    }

    @Test("giving up a request that waits leaves the bracket before it alone")
    func cancelQueued() async throws {
        let studio = try Studio()
        let output = studio.output
        let (first, second) = (
            try await output.prepare(try manual([1, 2, 4])), try await output.prepare(try manual([1, 2]))
        )
        let (running, waiting) = (try output.fire(first), try output.fire(second))
        studio.camera.deliver(3)
        #expect(studio.device.look(\.isHeld))
        output.cancel(second.uniqueID)
        #expect(studio.device.look(\.isHeld), "the first still has the camera")
        let taken = try await studio.frames {
            for await _ in waiting {}
            return await photos(running)
        }
        #expect(taken.map(\.record.verification) == [.verified, .verified, .verified])
    }

    // MARK: Prepared settings

    @Test("preparing while stopped is deferred until the session runs and all is ready")
    func deferred() async throws {
        let studio = try Studio(isRunning: false)
        let output = studio.output
        let waiting = Task { try await output.setPreparedPhotoSettings([try manual([1, 2, 4])]) }
        while output.preparedPhotoSettings.isEmpty { await Task.yield() }
        #expect(output.pool.freeCount == 0)
        try studio.session.startRunning()
        #expect(try await waiting.value)
        #expect(output.pool.freeCount == 5)
    }

    @Test("preparing between begin and commit of a configuration is deferred until the commit")
    func deferredToCommit() async throws {
        let studio = try Studio()
        let output = studio.output
        studio.session.beginConfiguration()
        let waiting = Task { try await output.setPreparedPhotoSettings([try manual([1, 2, 4])]) }
        while output.preparation.withLock({ $0.waiting == nil }) { await Task.yield() }
        studio.camera.deliver(10)
        #expect(output.pool.freeCount == 0)
        try studio.session.commitConfiguration()
        #expect(try await waiting.value)
        #expect(output.pool.freeCount == 5)
    }

    @Test("a second call before the first is done answers the first with false")
    func superseded() async throws {
        let studio = try Studio(isRunning: false)
        let output = studio.output
        let first = Task { try await output.setPreparedPhotoSettings([PhotoSettings()]) }
        while output.preparedPhotoSettings.isEmpty { await Task.yield() }
        while output.preparation.withLock({ $0.waiting == nil }) { await Task.yield() }
        let second = Task { try await output.setPreparedPhotoSettings([try manual([1, 2])]) }
        #expect(try await first.value == false)
        while output.preparation.withLock({ $0.waiting == nil }) { await Task.yield() }
        try studio.session.startRunning()
        #expect(try await second.value)
    }

    @Test("an empty array gives everything back")
    func reclaimed() async throws {
        let studio = try Studio()
        #expect(try await studio.output.setPreparedPhotoSettings([try manual([1, 2, 4])]))
        #expect(studio.output.pool.freeCount == 5)
        #expect(try await studio.output.setPreparedPhotoSettings([]))
        #expect(studio.output.pool.freeCount == 0)
    }

    @Test("preparing checks the settings")
    func preparedChecks() async throws {
        let studio = try Studio()
        await expectRefusal(.exposureDurationOutOfRange) {
            _ = try await studio.output.setPreparedPhotoSettings([try manual([500])])
        }
    }

    // MARK: Readiness

    @Test("readiness says what the output waits for, and requests are accepted all the same")
    func readiness() async throws {
        let studio = try Studio(isRunning: false)
        let output = studio.output
        #expect(output.captureReadiness == .sessionNotRunning)
        try studio.session.startRunning()
        studio.camera.deliver(12)
        #expect(output.captureReadiness == .ready)
        let bracket = try await output.prepare(try manual([1, 2, 4]))
        let events = try output.fire(bracket)
        #expect(output.captureReadiness == .notReadyWaitingForCapture)
        let single = try output.fire(try await output.prepare(PhotoSettings()))
        try await studio.frames {
            for await _ in events {}
            for await _ in single {}
        }
        for await progress in output.progress.values() where progress.readiness == .ready { break }
    }

    @Test("a readiness coordinator counts a request in before it is made, until the output has it or a newer one")
    func coordinator() async throws {
        let studio = try Studio()
        let coordinator = PhotoOutputReadinessCoordinator(photoOutput: studio.output)
        #expect(coordinator.captureReadiness.value == .ready, "the initial value is delivered")
        let settings = PhotoSettings()
        try coordinator.startTrackingCaptureRequest(using: settings)
        #expect(coordinator.captureReadiness.value == .notReadyMomentarily)
        _ = try await studio.capture(settings)
        for await readiness in coordinator.captureReadiness.values() where readiness == .ready { break }
        let abandoned = PhotoSettings()
        try coordinator.startTrackingCaptureRequest(using: abandoned)
        coordinator.stopTrackingCaptureRequest(usingUniqueID: abandoned.uniqueID)
        #expect(coordinator.captureReadiness.value == .ready)
        await expectRefusal(.settingsReused) { try coordinator.startTrackingCaptureRequest(using: settings) }
    }
}
