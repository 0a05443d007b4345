import CaptureModel
import Foundation
import PhotoCapture
import Testing
import Video4Linux
import VirtualUVCCamera

@Suite(
    "A USB camera through uvcvideo", .enabled(if: UVCRig.program != nil, "runs in the guest: deploy/guest"),
    .serialized,
    .timeLimit(.minutes(5)))
struct UVCDriverTests {
    @Test("with any delay gives every step its exposure, from consecutive frames", arguments: [0, 1, 4])
    func delays(delay: Int) async throws {
        let format: PixelFormat = delay % 2 == 0 ? .yuyv : .mjpeg
        let rig = try await UVCRig.plugged("DELAY-\(delay)", delay: delay, gainDelay: (delay + 1) % 3, format: format)
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
        let rig = try await UVCRig.plugged("LONG", delay: 1)
        try await rig.device.learnControls()
        try expectTruth(
            try readPhotos(try await rig.events(manualBracket([20, 150, 4, 250, 60]))), 5, isVerified: false)
    }

    @Test("that was told a wrong delay never has a photo mislabelled")
    func wrongDelay() async throws {
        let rig = try await UVCRig.plugged("WRONG", delay: 1)
        var profile = try await rig.device.calibrate()
        profile.delays = ControlDelays(6)
        rig.device.adopt(profile)
        let photos = try readPhotos(try await rig.events(manualBracket([1, 8, 2, 16, 4, 8, 1])))
        try expectTruth(photos, 7)
        #expect(rig.device.profile?.delays.exposureDuration == 3)
    }

    @Test("that exposes for less than it is asked to, or ignores that now and then, has no photo mislabelled")
    func clampedOrIgnored() async throws {
        let clamping = try await UVCRig(serial: "CLAMPS", options: ["--exposure-limit", "12"])
        try await clamping.device.learnControls()
        let photos = try readPhotos(try await clamping.events(manualBracket([2, 40, 4, 8])))
        // It is tried again, and comes last.
        let long = try #require(photos.first { $0.record.sequenceCount == 2 }).record
        #expect(photos.count == 4 && (long.error != nil || long.verification != .verified), "\(long)")
        try expectVerifiedTruth(photos, atLeast: 3)

        let ignoring = try await UVCRig(serial: "IGNORES", options: ["--ignored-exposures", "5"])
        try await ignoring.device.learnControls()
        for bracket in [[1, 8, 2, 16, 4], [4, 1, 16, 2, 8]] as [[Double]] {
            // Where it ignored the exposure that all are compared with, none can be verified.
            try expectVerifiedTruth(try readPhotos(try await ignoring.events(manualBracket(bracket))), atLeast: 0)
        }
    }

    /// What is called verified was exposed as its record says.
    private func expectVerifiedTruth(_ photos: [ReadPhoto], atLeast count: Int) throws {
        let verified = photos.filter { $0.record.error == nil && $0.record.verification == .verified }
        #expect(verified.count >= count, "\(photos.map(\.record))")
        try expectTruth(verified, verified.count)
    }

    @Test("that breaks frames has only their steps taken again")
    func broken() async throws {
        let rig = try await UVCRig.plugged("BROKEN", format: .mjpeg)
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
        let rig = try await UVCRig.plugged("HANDS")
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
        let rig = try await UVCRig.plugged("REFUSES")
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
        let rig = try await UVCRig.plugged("SLOW-\(milliseconds)")
        try await rig.device.learnControls()
        // More than a frame is among them.
        try rig.command("slow-controls \(milliseconds)")
        try expectTruth(try readPhotos(try await rig.events(manualBracket([1, 4, 16, 2, 8]))), 5, isVerified: false)
    }
}
