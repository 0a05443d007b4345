import CaptureModel
import PhotoCapture
import Testing
import V4L2Camera
import Video4Linux
import VirtualUVCCamera

@Suite(
    "A USB camera through uvcvideo that goes away",
    .enabled(if: UVCRig.program != nil, "runs in the guest: deploy/guest"), .serialized, .timeLimit(.minutes(5)))
struct UVCPlugTests {
    @Test("unplugged in the middle pays its debt, and is back in service when it returns")
    func unplugged() async throws {
        let rig = try await UVCRig.plugged("UNPLUGGED")
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

    @Test("has the controls of its configuration from then on, and says which of them it cannot have")
    func controls() async throws {
        let wanted: [String: Int64] = ["focus_automatic_continuous": 0, "focus_absolute": 30]
        let rig = try await UVCRig(serial: "SET-BY-HAND", controls: wanted)
        // Also while the session runs, which switches automatics on by itself.
        #expect(try rig.read()["focus_absolute"] == 30 && rig.read()["focus_automatic_continuous"] == 0)
        _ = try await rig.events(try Bracket([0.0, 1].map { .focus(lensPosition: $0) }))
        try rig.session.stopRunning()
        #expect(try rig.read()["focus_absolute"] == 30 && rig.read()["focus_automatic_continuous"] == 0)
        for (name, value, words) in [
            ("focus_absolute", 5000, "only 0 to "), ("auto_exposure", 1, "no control 'auto_exposure' to set"),
            ("zoom_absolute", 1, "no control 'zoom_absolute' to set; it has "),
        ] {
            var configuration = rig.configuration
            configuration.controls[name] = Int64(value)
            let error = #expect(throws: CaptureError.self) { try V4L2Camera(configuration) }
            #expect(error?.code == .unsupportedSettings && error?.message.contains(words) == true, "\(error)")
        }
        var configuration = rig.configuration
        configuration.controls["focus_automatic_continuous"] = 1
        let error = #expect(throws: CaptureError.self) { try V4L2Camera(configuration) }
        #expect(error?.message.contains("has 'focus_absolute' under automatic control") == true, "\(error)")
    }

    @Test("is told of when it is plugged in and unplugged")
    func hotPlug() async throws {
        let monitor = try DeviceMonitor()
        let rig = try await UVCRig.plugged("HOT-PLUG")
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
        let rig = try await UVCRig.plugged("STALLS")
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
