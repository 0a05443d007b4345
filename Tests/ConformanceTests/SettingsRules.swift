import CaptureModel
import Synchronization
import Testing

@testable import PhotoCapture

/// Several properties of an AVCaptureDevice at once.
@Suite("A camera that is set by hand", .timeLimit(.minutes(1)))
struct SettingsRules {
    private func set(_ studio: Studio, _ words: String...) async throws {
        let settings = try CameraSettings(words: words)
        try await studio.frames { [device = studio.device] in try await device.set(settings) }
    }

    @Test("has every value that it was given, read back from the camera itself")
    func everything() async throws {
        let studio = try Studio()
        try await set(
            studio, "exposureDuration=1/200", "iso=400", "lensPosition=0.25", "whiteBalance=5000K",
            "lensStabilization=on", "activeMaxExposureDuration=1/125", "exposurePointOfInterest=0.2,0.8",
            "autoFocusRangeRestriction=far", "exposureTargetBias=-1")
        let inForce = studio.camera.read()
        #expect(inForce.exposureDuration?.nanoseconds == 5_000_000 && inForce.iso == 400)
        #expect(inForce.lensPosition == 0.25)
        #expect(inForce.whiteBalance == .temperatureAndTint(TemperatureAndTint(temperature: 5000)))
        #expect(studio.camera.automatics.contains(.lensStabilization(isOn: true)))
        let state = try await studio.device.currentState()
        #expect(
            state.current.words
                == "exposureMode custom, exposureDuration 1/200 s, iso 400, exposureTargetBias -1, "
                + "exposurePointOfInterest 0.2,0.8, activeMaxExposureDuration 1/125 s, focusMode locked, "
                + "lensPosition 0.25, autoFocusRangeRestriction far, whiteBalanceMode locked, whiteBalance 5000K, "
                + "lensStabilization on")
        #expect(state.automatic.isEmpty)
        #expect(state.choices["focusMode"] == ["locked", "autoFocus", "continuousAutoFocus"])
        #expect(!studio.device.look(\.isLocked), "others may set it after that")
    }

    @Test(
        "is not changed at all where one value is beyond what it takes",
        arguments: [
            "iso=12800", "exposureDuration=2", "lensPosition=1.5", "whiteBalance=9000K", "gain=3",
            "exposureTargetBias=99", "exposurePointOfInterest=0,2", "whiteBalance=9,1,1",
        ])
    func refused(word: String) async throws {
        let studio = try Studio()
        let before = try await studio.device.currentState().current
        let (count, automatics) = (studio.camera.written.count, studio.camera.automatics)
        let code: CaptureDeviceError.Code = word.hasPrefix("gain") ? .unsupported : .outOfRange
        let others = ["exposureDuration=1/200", "lensPosition=0.1", "lensStabilization=on", "whiteBalance=4000K"]
        let mine = word.prefix { $0 != "=" }
        let words = [word] + others.filter { !$0.hasPrefix(mine) }
        await expectRefusal(code) {
            let settings = try CameraSettings(words: words)
            try await studio.device.set(settings)
        }
        #expect(studio.camera.written.count == count && studio.camera.automatics == automatics)
        #expect(try await studio.device.currentState().current == before)
        try studio.device.lockForConfiguration()
    }

    @Test("meters once and focuses once, and is locked then")
    func once() async throws {
        let studio = try Studio()
        try await set(studio, "iso=1600", "exposureDuration=1/200")
        studio.camera.state.withLock { $0.isFocusing = true }
        let settings = CameraSettings.meteringOnce
        try await studio.frames { [device = studio.device] in try await device.set(settings) }
        let metered = try await studio.device.currentState().current
        #expect(metered.exposureMode == .locked && metered.iso != 1600, "\(metered.words)")
        let task = Task { try await set(studio, "focusMode=autoFocus") }
        while !studio.camera.automatics.contains(.focusOnce(.none)) { await Task.yield() }
        #expect(studio.device.properties.value.focusMode == .autoFocus)
        studio.camera.state.withLock { $0.isFocusing = false }
        try await task.value
        #expect(studio.device.properties.value.focusMode == .locked)
        let kept = settings.settled(as: metered)
        try await set(studio, "exposureDuration=1/1000", "iso=100")
        try await studio.frames { [device = studio.device] in try await device.set(kept) }
        #expect(try await studio.device.currentState().current.iso == metered.iso, "as it was metered")
    }

    @Test("has an automatic back when it is told so")
    func automatic() async throws {
        let studio = try Studio()
        try await set(studio, "iso=1600", "lensPosition=0", "whiteBalance=4000K")
        #expect(try await studio.device.currentState().automatic.isEmpty)
        try await set(studio, "exposureMode=auto", "focusMode=auto", "whiteBalanceMode=auto")
        let state = try await studio.device.currentState()
        #expect(state.automatic.contains("iso") && state.automatic.contains("lensPosition"))
        #expect(state.automatic.contains("whiteBalance"))
        #expect(studio.camera.automatics.suffix(2) == [.focus(isOn: true, .none), .whiteBalance(isOn: true)])
    }

    @Test("has only what it can do")
    func modest() async throws {
        let studio = try Studio {
            ($0.hasAutoFocus, $0.canSetLensPosition, $0.hasLensStabilization) = (false, false, false)
            ($0.isoRange, $0.gainRange) = (nil, 0...100)
            $0.whiteBalance = WhiteBalanceCapability()
        }
        let state = try await studio.device.currentState()
        #expect(!state.current.properties.contains(.focusMode) && !state.current.properties.contains(.iso))
        #expect(!state.current.properties.contains(.whiteBalance))
        try await set(studio, "gain=40")
        #expect(studio.camera.read().gain == 40)
    }
}
