import CaptureModel
import Foundation
import PhotoCapture
import Testing
import Video4Linux
import VirtualUVCCamera

/// The camera's program; only in a guest whose kernel has vhci_hcd and uvcvideo.
private let program = ProcessInfo.processInfo.environment["VOLLEY_UVC"]

@Suite(
    "A USB camera through uvcvideo", .enabled(if: program != nil, "runs in the guest: deploy/guest"), .serialized,
    .timeLimit(.minutes(5)))
struct UVCDriverTests {
    private func rig(
        _ serial: String, delay: Int = 0, gainDelay: Int = 0, format: PixelFormat = .yuyv
    ) async throws -> UVCRig {
        try await UVCRig(
            program: try #require(program), serial: serial,
            options: ["--exposure-delay", "\(delay)", "--gain-delay", "\(gainDelay)"], format: format)
    }

    /// Every photo was exposed as its record says, by what its own picture says.
    private func expectTruth(_ photos: [ReadPhoto], _ count: Int, isVerified: Bool = true) throws {
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
    private func expectStart(_ photo: ReadPhoto, _ source: TimestampSource = .arrival) throws {
        let code = try #require(photo.code, "\(photo.record)")
        let start = try #require(photo.record.exposureStart)
        // The driver says that its stamps are of the start of exposure.
        #expect(start.source == source)
        let error = abs(start.time.nanoseconds - code.exposureStart)
        #expect(error <= start.uncertaintyNanoseconds, "\(error / 1_000_000) ms: \(start)")
    }

    @Test("whose pictures come late and unevenly has each start within what it says", arguments: [(4, 30), (60, 100)])
    func transport(latency: Int, jitter: Int) async throws {
        let rig = try await UVCRig(
            program: try #require(program), serial: "LATE-\(latency)",
            options: ["--latency", "\(latency)", "--jitter", "\(jitter)"], framesPerSecond: 15)
        for _ in 1...3 {
            let photos = try readPhotos(try await rig.events(.burst(9)))
            #expect(photos.count == 9)
            for photo in photos { try expectStart(photo) }
        }
    }

    @Test(
        "whose clock is said to stamp what it does has each start within what the bus leaves open",
        arguments: [
            // Of a frame of 100 ms a bulk transfer is a seventh; half of that and of the rest, and as much again where the
            // line between the clocks is carried on.
            ("exposure-start", .startOfExposure, 25_000_000),
            // A camera may clamp an exposure, to anything that a frame has room for.
            ("exposure-end", .endOfExposure, 75_000_000),
        ] as [(String, DeviceStamp.Moment, Int64)])
    func clock(_ clock: String, _ moment: DeviceStamp.Moment, uncertainties: Int64) async throws {
        let rig = try await UVCRig(
            program: try #require(program), serial: clock.uppercased(),
            options: ["--latency", "4", "--jitter", "30", "--clock", clock], presentationTime: moment)
        try await rig.device.learnControls()
        var (known, sources): (Int, [String]) = (0, [])
        for _ in 1...3 {
            let photos = try readPhotos(try await rig.events(manualBracket([2, 30, 1, 20, 2, 30, 1, 20])))
            #expect(photos.count == 8)
            for photo in photos where photo.record.error == nil {
                let source = try #require(photo.record.exposureStart?.source)
                try expectStart(photo, source)
                let uncertainty = try #require(photo.record.exposureStart?.uncertaintyNanoseconds)
                sources.append("\(source) ±\(uncertainty / 1_000_000) ms")
                if source == .deviceClock, uncertainty <= uncertainties { known += 1 }
            }
        }
        // Where the emulated machine holds up headers, a frame's arrival has to do.
        #expect(known >= 12, "\(known) of 24: \(sources)")
    }

    @Test("whose clock stands or says anything is believed by its arrivals", arguments: ["frozen", "nonsense"])
    func noClock(_ clock: String) async throws {
        let rig = try await UVCRig(
            program: try #require(program), serial: clock.uppercased(), options: ["--clock", clock],
            presentationTime: .startOfExposure)
        for _ in 1...3 {
            for photo in try readPhotos(try await rig.events(.burst(9))) { try expectStart(photo) }
        }
    }

    @Test("with any delay gives every step its exposure, from consecutive frames", arguments: [0, 1, 4])
    func delays(delay: Int) async throws {
        let format: PixelFormat = delay % 2 == 0 ? .yuyv : .mjpeg
        let rig = try await rig("DELAY-\(delay)", delay: delay, gainDelay: (delay + 1) % 3, format: format)
        try await rig.device.learnControls()
        let learned = try #require(rig.device.profile).delays
        #expect(learned.exposureDuration - delay == 2, "the delay was learned: \(learned)")
        for milliseconds in [[2, 8, 32], [1, 16, 4, 2, 8], [1, 2, 4, 8, 16, 32, 5, 1, 3]] as [[Double]] {
            let photos = try readPhotos(try await rig.events(manualBracket(milliseconds)))
            try expectTruth(photos, milliseconds.count)
            let frames = photos.compactMap(\.code?.frame).sorted()
            let span = Int((frames.last ?? 0) - (frames.first ?? 0)) + 1
            // The emulated machine loses a frame now and then; then its step alone is taken again.
            let room = span > milliseconds.count ? learned.exposureDuration + 3 : 0
            #expect(span <= milliseconds.count + room, "\(frames)")
            if span == milliseconds.count { print("consecutive: \(milliseconds.count) steps, delay \(delay)") }
        }
        let automatic = try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) })
        let photos = try readPhotos(try await rig.events(automatic))
        try expectTruth(photos, 3)
    }

    @Test("exposes longer than a frame where it is asked to")
    func long() async throws {
        let rig = try await rig("LONG", delay: 1)
        try await rig.device.learnControls()
        try expectTruth(
            try readPhotos(try await rig.events(manualBracket([20, 150, 4, 250, 60]))), 5, isVerified: false)
    }

    @Test("that was told a wrong delay never has a photo mislabelled")
    func wrongDelay() async throws {
        let rig = try await rig("WRONG", delay: 1)
        var profile = try await rig.device.calibrate()
        profile.delays = ControlDelays(6)
        rig.device.adopt(profile)
        let photos = try readPhotos(try await rig.events(manualBracket([1, 8, 2, 16, 4, 8, 1])))
        try expectTruth(photos, 7)
        #expect(rig.device.profile?.delays.exposureDuration == 3)
    }

    @Test("that breaks frames has only their steps taken again")
    func broken() async throws {
        let rig = try await rig("BROKEN", format: .mjpeg)
        try await rig.device.learnControls()
        for fault in ["drop 1", "truncate 1", "error 1", "truncate 2"] {
            let events = try await rig.events(manualBracket([1, 2, 4, 8, 16, 4, 2])) { count in
                // Once the first exposure is announced, the bracket is under way.
                if count == 2 { try rig.command(fault) }
            }
            try expectTruth(try readPhotos(events), 7)
        }
    }

    @Test("is set by hand as another program reads it, and has its own settings back at the end")
    func byHand() async throws {
        let rig = try await rig("HANDS")
        let device = rig.device
        let before = try rig.read()
        #expect(before["focus_automatic_continuous"] == 1 && before["auto_exposure"] == 1, "the core meters")
        try device.lockForConfiguration()

        // The driver's numbers grow towards the near.
        try await device.setFocusModeLocked(lensPosition: .value(0.2))
        var now = try rig.read()
        #expect(now["focus_automatic_continuous"] == 0 && now["focus_absolute"] == 200)
        #expect(device.properties.value.lensPosition == 0.2 && device.properties.value.focusMode == .locked)
        try await device.setFocusMode(.continuousAutoFocus)
        #expect(try rig.read()["focus_automatic_continuous"] == 1)

        try await device.setWhiteBalanceModeLocked(with: TemperatureAndTint(temperature: 3200))
        now = try rig.read()
        #expect(now["white_balance_automatic"] == 0 && now["white_balance_temperature"] == 3200)
        #expect(device.properties.value.whiteBalance == .temperatureAndTint(TemperatureAndTint(temperature: 3200)))
        try await device.setWhiteBalanceMode(.continuousAutoWhiteBalance)
        #expect(try rig.read()["white_balance_automatic"] == 1)
        try await device.setWhiteBalanceMode(.locked)
        #expect(try rig.read()["white_balance_automatic"] == 0)

        try await device.setExposureModeCustom(duration: .value(ExposureDuration(nanoseconds: 12_300_000)))
        now = try rig.read()
        #expect(now["auto_exposure"] == 1 && now["exposure_time_absolute"] == 123)
        #expect(device.properties.value.exposure.duration?.nanoseconds == 12_300_000)

        let lens = try readPhotos(try await rig.events(try Bracket([0.0, 0.5, 1].map { .focus(lensPosition: $0) })))
        #expect(lens.compactMap(\.record.appliedLensPosition) == [0, 0.5, 1])
        let kelvins = [2800.0, 6500].map { WhiteBalance.temperatureAndTint(TemperatureAndTint(temperature: $0)) }
        let colours = try readPhotos(try await rig.events(try Bracket(kelvins.map { .whiteBalance($0) })))
        #expect(colours.compactMap(\.record.appliedWhiteBalance) == kelvins)
        // What was written over is put back after the next frame.
        try await device.setExposureModeCustom()
        now = try rig.read()
        #expect(now["white_balance_automatic"] == 0 && now["focus_automatic_continuous"] == 1, "as it was before them")
        try rig.session.stopRunning()
        let after = try rig.read()
        #expect(after["focus_automatic_continuous"] == 1 && after["white_balance_automatic"] == 1)
        #expect(after["auto_exposure"] == 3, "as the driver had it")
    }

    @Test("that refuses its controls has its debt paid with the reason")
    func refused() async throws {
        let rig = try await rig("REFUSES")
        try await rig.device.learnControls()
        let prepared = try await rig.output.prepare(
            PhotoBracketSettings(bracketedSettings: try manualBracket([1, 2, 4])))
        try rig.command("stall-controls")
        var photos: [PhotoRecord] = []
        for await timed in try rig.output.fire(prepared) {
            if case .didFinishProcessingPhoto(let photo) = timed.event { photos.append(photo.record) }
        }
        try rig.command("take-controls")
        #expect(photos.count == 3)
        #expect(photos.allSatisfy { $0.error?.code == .deviceFailed && $0.exposureStart == nil })
        #expect(photos.first?.error?.message.contains("VIDIOC_S_EXT_CTRLS") == true, "\(photos)")
        try expectTruth(try readPhotos(try await rig.events(manualBracket([1, 2, 4]))), 3)
    }

    @Test("that answers slowly gets right exposures all the same", arguments: [40, 130])
    func slow(milliseconds: Int) async throws {
        let rig = try await rig("SLOW-\(milliseconds)")
        try await rig.device.learnControls()
        // More than a frame is among them.
        try rig.command("slow-controls \(milliseconds)")
        try expectTruth(try readPhotos(try await rig.events(manualBracket([1, 4, 16, 2, 8]))), 5, isVerified: false)
    }

    @Test("unplugged in the middle pays its debt, and is back in service when it returns")
    func unplugged() async throws {
        let rig = try await rig("UNPLUGGED")
        try await rig.device.learnControls()
        let before = try #require(rig.device.profile)
        let bracket = try manualBracket([1, 2, 4, 8, 16, 8, 4, 2, 1])
        let events = try await rig.events(bracket) { count in
            if count == 4 { try rig.command("unplug") }
        }
        #expect(events.first?.kind == .willBeginCapture && events.last?.kind == .didFinishCapture)
        for kind in [CaptureEventKind.willCapturePhoto, .didCapturePhoto, .didFinishProcessingPhoto] {
            #expect(events.filter { $0.kind == kind }.count == 9, "\(kind)")
        }
        let photos = try readPhotos(events)
        let failed = photos.filter { $0.record.error != nil }
        #expect(!failed.isEmpty)
        #expect(failed.allSatisfy { $0.record.error?.code == .deviceWasDisconnected && $0.record.exposureStart == nil })
        for photo in photos where photo.record.error == nil { #expect(photo.code != nil) }
        #expect(rig.session.isInterrupted)
        // Somebody holds the old node open, so that the camera comes back under another number.
        try rig.command("plug")
        for await event in rig.session.events where event == .interruptionEnded { break }
        #expect(rig.device.profile == before)
        try expectTruth(try readPhotos(try await rig.events(bracket)), 9)
    }

    @Test("is told of when it is plugged in and unplugged")
    func hotPlug() async throws {
        let monitor = try DeviceMonitor()
        let rig = try await rig("HOT-PLUG")
        var (path, isGone, isBack) = ("", false, false)
        for await event in monitor.events {
            switch event {
            case .connected(let new) where DeviceLocator.serialNumber(ofNode: new) == "HOT-PLUG":
                if isGone {
                    isBack = true
                } else if path.isEmpty {
                    path = new
                    try rig.command("unplug")
                }
            case .disconnected(path):
                isGone = true
                try rig.command("plug")
            case .connected, .disconnected: continue
            }
            if isBack { break }
        }
        #expect(isGone && isBack)
    }

    @Test("that stalls is started again")
    func stalled() async throws {
        let rig = try await rig("STALLS")
        try await rig.device.learnControls()
        try rig.command("freeze")
        for await event in rig.session.events {
            if case .wasInterrupted(let error) = event {
                #expect(error.code == .stalled)
                break
            }
        }
        try rig.command("thaw")
        for await event in rig.session.events where event == .interruptionEnded { break }
        try expectTruth(try readPhotos(try await rig.events(manualBracket([1, 4, 16]))), 3)
    }
}
