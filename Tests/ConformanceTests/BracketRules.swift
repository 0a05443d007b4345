import CaptureModel
import PhotoCapture
import Synchronization
import Testing

/// AVCapturePhotoBracketSettings and AVCaptureBracketedStillImageSettings.
@Suite("AVCapturePhotoBracketSettings", .timeLimit(.minutes(1)))
struct BracketRules {
    @Test("an empty bracket is refused when it is made")
    func empty() async {
        await expectRefusal(.emptyBracket) { _ = try Bracket([]) }
    }

    @Test("a bracket of mixed kinds is refused when it is made")
    func mixed() async {
        await expectRefusal(.mixedBracket) {
            _ = try Bracket([.autoExposure(exposureTargetBias: .value(0)), .burst])
        }
        await expectRefusal(.mixedBracket) { _ = try Bracket([.focus(lensPosition: 0), .burst]) }
    }

    @Test("more steps than maxBracketedCapturePhotoCount are refused at capture")
    func tooMany() async throws {
        let studio = try Studio { $0.maxBracketedCapturePhotoCount = 3 }
        let settings = try manual([1, 2, 4, 8])
        await expectRefusal(.tooManyBracketedPhotos) { _ = try await studio.capture(settings) }
    }

    @Test("a format that cannot bracket has a count of 0 and refuses every bracket")
    func cannot() async throws {
        let studio = try Studio { $0.maxBracketedCapturePhotoCount = 0 }
        #expect(studio.output.maxBracketedCapturePhotoCount == 0)
        await expectRefusal(.bracketUnsupported) { _ = try await studio.capture(try manual([1])) }
    }

    @Test("durations, ISOs and biases out of range are made, and refused at capture")
    func ranges() async throws {
        let studio = try Studio()
        await expectRefusal(.exposureDurationOutOfRange) { _ = try await studio.capture(try manual([1, 50])) }
        let iso = try Bracket([.manualExposure(exposureDuration: .current, iso: .value(50))])
        await expectRefusal(.isoOutOfRange) {
            _ = try await studio.capture(PhotoBracketSettings(bracketedSettings: iso))
        }
        let bias = try Bracket([.autoExposure(exposureTargetBias: .value(20))])
        await expectRefusal(.exposureTargetBiasOutOfRange) {
            _ = try await studio.capture(PhotoBracketSettings(bracketedSettings: bias))
        }
    }

    @Test("current values are accepted, and are what the device has")
    func current() async throws {
        let studio = try Studio()
        let steps: [BracketedStillImageSettings] = [
            .manualExposure(exposureDuration: .current, iso: .value(200)),
            .manualExposure(exposureDuration: .value(ExposureDuration(nanoseconds: 1_000_000)), iso: .current),
        ]
        let settled = try #require(try await studio.device.settledExposure())
        let settings = PhotoBracketSettings(bracketedSettings: try Bracket(steps))
        let exposures = photos(try await studio.capture(settings)).compactMap(\.record.verified)
        #expect(exposures[0] == Exposure(duration: settled.duration, iso: 200))
        #expect(exposures[1] == Exposure(duration: ExposureDuration(nanoseconds: 1_000_000), iso: settled.iso))
    }

    @Test("flash and live photo are refused in a bracket")
    func unsupported() async throws {
        let studio = try Studio()
        var flash = try manual([1, 2])
        flash.photo.flashMode = .auto
        await expectRefusal(.flashUnsupported) { [flash] in _ = try await studio.capture(flash) }
        var live = try manual([1, 2])
        live.photo.livePhotoMovieFile = "film.mov"
        await expectRefusal(.livePhotoUnsupported) { [live] in _ = try await studio.capture(live) }
    }

    @Test("lens stabilisation is off unless asked for, and refused where there is none")
    func stabilisation() async throws {
        let studio = try Studio { $0.hasLensStabilization = false }
        var settings = try manual([1, 2])
        #expect(!settings.photo.isLensStabilizationEnabled)
        settings.photo.isLensStabilizationEnabled = true
        await expectRefusal(.lensStabilizationUnsupported) { [settings] in _ = try await studio.capture(settings) }
        let able = try Studio()
        var wish = try manual([1, 2])
        wish.photo.isLensStabilizationEnabled = true
        _ = try await able.capture(wish)
        let told = able.camera.automatics.filter { if case .lensStabilization = $0 { true } else { false } }
        #expect(told == [.lensStabilization(isOn: true), .lensStabilization(isOn: false)])
    }

    @Test("an automatic bracket is refused where nothing meters")
    func unmetered() async throws {
        let studio = try Studio { $0.canMeter = false }
        let bracket = PhotoBracketSettings(
            bracketedSettings: try Bracket([.autoExposure(exposureTargetBias: .value(0))]))
        await expectRefusal(.bracketUnsupported) { _ = try await studio.capture(bracket) }
    }

    @Test("an automatic bracket moves the metered exposure by each bias")
    func automatic() async throws {
        let studio = try Studio()
        let settled = try #require(try await studio.device.settledExposure()?.duration)
        let bracket = try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) })
        let photos = photos(try await studio.capture(PhotoBracketSettings(bracketedSettings: bracket)))
        let light = photos.compactMap(\.record.verified).map { $0.duration!.seconds * $0.iso! / 100 / settled.seconds }
        for (got, wanted) in zip(light, [0.25, 1, 4]) { #expect(abs(got / wanted - 1) < 0.01) }
    }

    @Test("what the bracket wrote over is put back after it")
    func restored() async throws {
        let studio = try Studio()
        let before = try await studio.device.settledExposure()
        _ = try await studio.capture(try manual([1, 4, 8]))
        studio.camera.deliver(4)
        #expect(try await studio.device.settledExposure() == before)
        #expect(studio.camera.written.last?.exposure == before)
    }

    @Test("what the bracket wrote over is put back also when it failed")
    func restoredAfterFailure() async throws {
        let studio = try Studio()
        let before = try await studio.device.settledExposure()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 4, 8, 2])))
        studio.camera.deliver(3)
        studio.output.cancel(studio.output.progress.value.newestID)
        for await _ in events {}
        #expect(try await studio.device.settledExposure() == before, "whoever asks hears what will be in force")
        studio.camera.deliver()
        #expect(studio.camera.written.last?.exposure == before)
    }

    @Test("a control that the camera refuses half way is tried again, and put back after all")
    func restoredAfterRefusal() async throws {
        let studio = try Studio()
        let before = try await studio.device.settledExposure()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 4, 8, 2])))
        studio.camera.deliver(2)
        studio.camera.state.withLock { $0.refusal = CaptureError(.deviceFailed, "busy") }
        studio.camera.deliver()
        studio.camera.state.withLock { $0.refusal = nil }
        let photos = try await studio.frames { await ConformanceTests.photos(events) }
        #expect(photos.count == 4 && photos.allSatisfy { $0.record.verification == .verified }, "\(photos)")
        studio.camera.deliver()
        #expect(studio.camera.written.last?.exposure == before)
    }

    @Test("a camera that refuses for good has every photo's debt paid with the reason")
    func refusedForGood() async throws {
        let studio = try Studio()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 4, 8, 2])))
        studio.camera.state.withLock { $0.refusal = CaptureError(.deviceFailed, "busy") }
        let photos = try await studio.frames { await ConformanceTests.photos(events) }
        #expect(photos.count == 4)
        #expect(
            photos.allSatisfy {
                $0.record.error?.code == .deviceFailed && $0.record.error?.message.contains("busy") == true
            })
    }

    @Test("a session that is stopped in the middle writes nothing to a camera that stops, and starts again as before")
    func stopped() async throws {
        let studio = try Studio()
        let before = try await studio.device.settledExposure()
        let events = try studio.output.fire(try await studio.output.prepare(try manual([1, 4, 8, 2])))
        studio.camera.deliver(3)
        try studio.session.stopRunning()
        for await _ in events {}
        #expect(studio.camera.writtenWhileStopped.isEmpty)
        try studio.session.startRunning()
        #expect(studio.camera.written.last?.exposure == before)
    }

    @Test("automatics rest during a bracket, and go on after it")
    func automatics() async throws {
        let studio = try Studio()
        let before = studio.camera.automatics.count
        _ = try await studio.capture(try manual([1, 2]))
        #expect(
            studio.camera.automatics.dropFirst(before) == [
                .focus(isOn: false, .none), .whiteBalance(isOn: false), .focus(isOn: true, .none),
                .whiteBalance(isOn: true),
            ])
    }

    @Test("a batch of images is taken as quickly as possible in succession: N frames for N steps")
    func consecutive() async throws {
        let studio = try Studio()
        let photos = photos(try await studio.capture(try manual([1, 8, 2, 4, 0.5])))
        let frames = photos.compactMap(\.record.frameSequence)
        #expect(frames == (0..<5).map { frames[0] + $0 })
    }

    // Beyond Apple's API.

    @Test("a focus bracket moves the lens from step to step and back")
    func focus() async throws {
        let studio = try Studio()
        let bracket = try Bracket([0, 0.4, 1].map { .focus(lensPosition: $0) })
        let photos = photos(try await studio.capture(PhotoBracketSettings(bracketedSettings: bracket)))
        #expect(photos.compactMap(\.record.requested.lensPosition) == [0, 0.4, 1])
        #expect(photos.compactMap(\.record.appliedLensPosition) == [0, 0.4, 1])
        #expect(studio.camera.written.compactMap(\.lensPosition) == [0, 0.4, 1, 0.5])
        let blind = try Studio { $0.canSetLensPosition = false }
        await expectRefusal(.bracketUnsupported) {
            _ = try await blind.capture(PhotoBracketSettings(bracketedSettings: bracket))
        }
        await expectRefusal(.lensPositionOutOfRange) { _ = try Bracket([.focus(lensPosition: 1.1)]) }
    }

    @Test("a white balance bracket varies the temperature, within the device's range")
    func whiteBalance() async throws {
        let studio = try Studio()
        func bracket(_ kelvins: [Double]) throws -> PhotoBracketSettings {
            PhotoBracketSettings(
                bracketedSettings: try Bracket(
                    kelvins.map { .whiteBalance(.temperatureAndTint(TemperatureAndTint(temperature: $0))) }))
        }
        let settings = try bracket([3200, 5600])
        _ = try await studio.capture(settings)
        #expect(studio.camera.written.compactMap(\.whiteBalance).count == 2)
        await expectRefusal(.whiteBalanceOutOfRange) { _ = try await studio.capture(try bracket([3200, 9000])) }
    }
}
