import CaptureModel
import Synchronization
import Testing

@testable import PhotoCapture

/// AVCaptureDevice.
@Suite("AVCaptureDevice", .timeLimit(.minutes(1)))
struct DeviceRules {
    private func locked(_ configure: (inout CameraCapabilities) -> Void = { _ in }) throws -> Studio {
        let studio = try Studio(configure)
        try studio.device.lockForConfiguration()
        return studio
    }

    @Test("nothing is set without the lock")
    func lock() async throws {
        let device = try Studio().device
        await expectRefusal(.notLocked) { try await device.setExposureModeCustom() }
        await expectRefusal(.notLocked) { try await device.setExposureMode(.locked) }
        await expectRefusal(.notLocked) { try device.setExposureTargetBias(.value(1)) }
        await expectRefusal(.notLocked) { try await device.setFocusMode(.locked) }
        await expectRefusal(.notLocked) { try await device.setFocusModeLocked(lensPosition: .value(0)) }
        await expectRefusal(.notLocked) { try await device.setWhiteBalanceMode(.locked) }
        await expectRefusal(.notLocked) { try await device.setWhiteBalanceModeLocked(with: .current) }
        await expectRefusal(.notLocked) { try device.setActiveMaxExposureDuration(nil) }
    }

    @Test("the lock is one's own until it is given back")
    func oneLock() async throws {
        let device = try Studio().device
        try device.lockForConfiguration()
        await expectRefusal(.lockedByAnother) { try device.lockForConfiguration() }
        device.unlockForConfiguration()
        try device.lockForConfiguration()
    }

    @Test("a mode that the device has not is refused")
    func unsupported() async throws {
        let studio = try locked {
            $0.hasAutoFocus = false
            $0.canSetLensPosition = false
            $0.exposureDurationRange = nil
            $0.isoRange = nil
            $0.whiteBalance = WhiteBalanceCapability()
            $0.hasLensStabilization = false
        }
        let device = studio.device
        #expect(!device.isFocusModeSupported(.autoFocus) && !device.isExposureModeSupported(.custom))
        await expectRefusal(.unsupported) { try await device.setFocusMode(.continuousAutoFocus) }
        await expectRefusal(.unsupported) { try await device.setFocusModeLocked(lensPosition: .value(0.5)) }
        await expectRefusal(.unsupported) { try await device.setExposureModeCustom() }
        await expectRefusal(.unsupported) { try await device.setExposureMode(.continuousAutoExposure) }
        await expectRefusal(.unsupported) { try device.setExposureTargetBias(.value(0)) }
        await expectRefusal(.unsupported) { try await device.setWhiteBalanceMode(.continuousAutoWhiteBalance) }
        await expectRefusal(.unsupported) {
            try await device.setWhiteBalanceModeLocked(with: .value(WhiteBalanceGains(red: 1, green: 1, blue: 1)))
        }
        await expectRefusal(.unsupported) { try await device.setLensStabilization(isOn: true) }
    }

    @Test("a camera without an exposure duration can be set to the sensitivity that it has")
    func sensitivityAlone() async throws {
        let studio = try locked { $0.exposureDurationRange = nil }
        let device = studio.device
        #expect(device.isExposureModeSupported(.custom))
        await expectRefusal(.unsupported) {
            try await device.setExposureModeCustom(duration: .value(ExposureDuration(nanoseconds: 1_000_000)))
        }
        try await studio.frames { _ = try await device.setExposureModeCustom(iso: .value(400)) }
        #expect(device.properties.value.exposureMode == .custom)
        #expect(studio.camera.written.compactMap(\.iso).last == 400)
        // Where the driver meters, nothing but its automatic gives a time.
        let metered = try locked {
            $0.exposureDurationRange = nil
            $0.hasAutoExposure = true
        }
        .device
        #expect(!metered.isExposureModeSupported(.custom))
    }

    @Test("a number out of range is refused")
    func range() async throws {
        let device = try locked().device
        await expectRefusal(.outOfRange) {
            try await device.setExposureModeCustom(duration: .value(ExposureDuration(nanoseconds: 1)))
        }
        await expectRefusal(.outOfRange) { try await device.setExposureModeCustom(iso: .value(9999)) }
        await expectRefusal(.outOfRange) { try device.setExposureTargetBias(.value(99)) }
        await expectRefusal(.outOfRange) { try await device.setFocusModeLocked(lensPosition: .value(-0.1)) }
        await expectRefusal(.outOfRange) { try device.setExposurePointOfInterest(Point(x: 1.5, y: 0)) }
        await expectRefusal(.outOfRange) {
            try device.setActiveMaxExposureDuration(ExposureDuration(nanoseconds: 1_000_000_000))
        }
        await expectRefusal(.outOfRange) {
            try await device.setWhiteBalanceModeLocked(with: .value(WhiteBalanceGains(red: 1, green: 1, blue: 5)))
        }
        await expectRefusal(.outOfRange) {
            try await device.setWhiteBalanceModeLocked(with: TemperatureAndTint(temperature: 10_000))
        }
    }

    // MARK: Completion

    @Test("a setter ends with the first frame on which it is in force")
    func completion() async throws {
        let studio = try locked()
        let next = studio.camera.state.withLock { $0.next }
        let device = studio.device
        let done = Task {
            try await device.setExposureModeCustom(duration: .value(ExposureDuration(nanoseconds: 5_000_000)))
        }
        while studio.device.state.withLock({ $0.completions.isEmpty }) { await Task.yield() }
        studio.camera.deliver(4)
        let time = try await done.value
        // Written after frame `next`, in force two frames later.
        #expect(time.nanoseconds == Int64(next + 2) * ManualCamera.frameDuration)
        #expect(studio.camera.state.withLock { $0.inForce.exposureDuration?.nanoseconds } == 5_000_000)
    }

    @Test("setters end in the order in which they were called")
    func fifo() async throws {
        let studio = try locked()
        let device = studio.device
        var tasks: [Task<MonotonicTime, any Error>] = []
        for count in 1...4 {
            let iso = Double(100 * count)
            tasks.append(Task { try await device.setExposureModeCustom(iso: .value(iso)) })
            while device.state.withLock({ $0.completions.count < count }) { await Task.yield() }
        }
        studio.camera.deliver(6)
        var times: [MonotonicTime] = []
        for task in tasks { times.append(try await task.value) }
        #expect(times == times.sorted())
        #expect(studio.camera.written.compactMap(\.iso).suffix(4) == [100, 200, 300, 400])
    }

    @Test("a camera that goes away ends the setters with the reason")
    func lost() async throws {
        let studio = try locked()
        let device = studio.device
        let waiting = Task { try await device.setExposureModeCustom(iso: .value(400)) }
        while device.state.withLock({ $0.completions.isEmpty }) { await Task.yield() }
        studio.camera.unplug()
        await #expect(throws: CaptureError.self) { try await waiting.value }
    }

    // MARK: Exposure

    @Test("custom mode is set with duration and ISO, and current keeps what is")
    func custom() async throws {
        let studio = try locked()
        let before = try #require(try await studio.device.settledExposure())
        let device = studio.device
        _ = try await studio.frames { try await device.setExposureModeCustom(iso: .value(800)) }
        #expect(device.properties.value.exposureMode == .custom)
        #expect(try await device.settledExposure() == Exposure(duration: before.duration, iso: 800))
    }

    @Test("autoExpose meters once and locks; continuous goes on")
    func modes() async throws {
        let studio = try locked()
        try await studio.device.setExposureMode(.autoExpose)
        #expect(studio.device.properties.value.isAdjustingExposure)
        studio.camera.deliver(30)
        #expect(studio.device.properties.value.exposureMode == .locked)
        try await studio.device.setExposureMode(.continuousAutoExposure)
        studio.camera.deliver(30)
        #expect(studio.device.properties.value.exposureMode == .continuousAutoExposure)
        #expect(!studio.device.properties.value.isAdjustingExposure)
    }

    @Test("a bias moves what the automatic aims at")
    func bias() async throws {
        let studio = try locked()
        let before = try #require(try await studio.device.settledExposure()?.duration)
        try studio.device.setExposureTargetBias(.value(-1))
        studio.camera.deliver(60)
        let after = try #require(try await studio.device.settledExposure()?.duration)
        #expect(abs(after.seconds / before.seconds - 0.5) < 0.06, "\(before) \(after)")
    }

    @Test("a longest exposure bounds the automatic, and nil takes it back")
    func longest() async throws {
        let studio = try locked()
        let limit = ExposureDuration(nanoseconds: 1_000_000)
        try studio.device.setActiveMaxExposureDuration(limit)
        studio.camera.deliver(60)
        let exposure = try #require(try await studio.device.settledExposure())
        #expect(exposure.duration == limit && (exposure.iso ?? 0) > 150, "the ISO makes up for it")
        try studio.device.setActiveMaxExposureDuration(nil)
        studio.camera.deliver(60)
        #expect(studio.device.properties.value.activeMaxExposureDuration == nil)
    }

    @Test("a point of interest does nothing until the mode is set again")
    func pointOfInterest() async throws {
        let studio = try locked()
        try studio.device.setExposurePointOfInterest(Point(x: 0.2, y: 0.8))
        #expect(studio.device.look(\.meter.point) == nil)
        try await studio.device.setExposureMode(.continuousAutoExposure)
        #expect(studio.device.look(\.meter.point) == Point(x: 0.2, y: 0.8))
    }

    @Test("a point of interest and a longest exposure go with the format")
    func formatReset() throws {
        let studio = try locked()
        try studio.device.setExposurePointOfInterest(Point(x: 0.2, y: 0.8))
        try studio.device.setActiveMaxExposureDuration(ExposureDuration(nanoseconds: 1_000_000))
        try studio.session.setActiveFormat(studio.camera.formats[1])
        #expect(studio.device.properties.value.exposurePointOfInterest == .centre)
        #expect(studio.device.properties.value.activeMaxExposureDuration == nil)
    }

    // MARK: Focus and white balance

    @Test("a lens position is set by locking the focus")
    func lens() async throws {
        let studio = try locked()
        let device = studio.device
        _ = try await studio.frames { try await device.setFocusModeLocked(lensPosition: .value(0.25)) }
        #expect(device.properties.value.focusMode == .locked)
        #expect(studio.camera.written.last?.lensPosition == 0.25)
        #expect(studio.camera.automatics.contains(.focus(isOn: false, .none)))
    }

    @Test("autoFocus focuses once, with the range restriction that was set")
    func focusOnce() async throws {
        let studio = try locked()
        let device = studio.device
        try device.setAutoFocusRangeRestriction(.near)
        try await studio.frames { try await device.setFocusMode(.autoFocus) }
        #expect(studio.camera.automatics.last == .focusOnce(.near))
    }

    @Test("autoFocus becomes locked when the lens is there, or has had its second", arguments: [true, false])
    func focusedOnce(isTold: Bool) async throws {
        let studio = try locked()
        let device = studio.device
        studio.camera.state.withLock { $0.isFocusing = isTold ? true : nil }
        try await studio.frames { try await device.setFocusMode(.autoFocus) }
        studio.camera.deliver(50)
        #expect(device.properties.value.focusMode == .autoFocus && device.properties.value.isAdjustingFocus)
        if isTold { studio.camera.state.withLock { $0.isFocusing = false } }
        studio.camera.deliver(isTold ? 10 : 60)
        #expect(device.properties.value.focusMode == .locked && !device.properties.value.isAdjustingFocus)
    }

    @Test("a lens that was focused and locked is put back there, not where it was before")
    func lockedWhereItIs() async throws {
        let studio = try locked()
        let device = studio.device
        studio.camera.state.withLock { $0.inForce.lensPosition = 0.8 }
        try await studio.frames { try await device.setFocusMode(.locked) }
        let steps = [0, 0.2].map { BracketedStillImageSettings.focus(lensPosition: $0) }
        _ = try await studio.capture(PhotoBracketSettings(bracketedSettings: try Bracket(steps)))
        studio.camera.deliver(5)
        #expect(studio.camera.written.compactMap(\.lensPosition).last == 0.8)
    }

    @Test("a small bias acts as well, and a capture waits for it")
    func smallBias() async throws {
        let studio = try locked()
        let before = try #require(try await studio.device.settledExposure()?.duration)
        try studio.device.setExposureTargetBias(.value(0.2))
        #expect(studio.device.properties.value.isAdjustingExposure)
        studio.camera.deliver(60)
        let after = try #require(try await studio.device.settledExposure()?.duration)
        #expect(abs(after.seconds / before.seconds - 1.149) < 0.05, "\(before) \(after)")
    }

    @Test("a grey card that nobody can look at any more is an error, not a wait without end")
    func noGrayCard() async throws {
        let studio = try Studio()
        let device = studio.device
        let waiting = Task { try await device.grayWorldDeviceWhiteBalanceGains() }
        while device.state.withLock({ $0.outputs.count < 3 }) { await Task.yield() }
        try studio.session.stopRunning()
        await #expect(throws: CaptureDeviceError.self) { try await waiting.value }
    }

    @Test("autoWhiteBalance becomes locked")
    func balancedOnce() async throws {
        let studio = try locked()
        let device = studio.device
        try await studio.frames { try await device.setWhiteBalanceMode(.autoWhiteBalance) }
        #expect(studio.camera.automatics.last == .whiteBalanceOnce)
        #expect(device.properties.value.whiteBalanceMode == .locked)
    }

    @Test("a refused setter leaves the mode as it was")
    func refusedSetter() async throws {
        let studio = try locked()
        let device = studio.device
        studio.camera.state.withLock { $0.refusal = CaptureError(.deviceFailed, "no") }
        await #expect(throws: CaptureError.self) {
            try await studio.frames { try await device.setExposureModeCustom(iso: .value(400)) }
        }
        #expect(device.properties.value.exposureMode == .continuousAutoExposure)
        studio.camera.state.withLock { $0.refusal = nil }
        try device.setExposureTargetBias(.value(-1))
        studio.camera.deliver(60)
        #expect(abs(device.properties.value.exposureTargetOffset) < 0.2, "the automatic goes on")
    }

    @Test("the target offset is told in custom mode as well")
    func targetOffset() async throws {
        let studio = try locked()
        let device = studio.device
        // 2 ms at ISO 100 are on target.
        _ = try await studio.frames {
            try await device.setExposureModeCustom(
                duration: .value(ExposureDuration(nanoseconds: 4_000_000)), iso: .value(100))
        }
        studio.camera.deliver(60)
        #expect(abs(device.properties.value.exposureTargetOffset - 1) < 0.1)
        #expect(device.properties.value.exposureMode == .custom)
    }

    @Test("gains are normalised when they are set")
    func gains() async throws {
        let studio = try locked()
        let device = studio.device
        let gains = WhiteBalanceGains(red: 2, green: 2, blue: 4)
        _ = try await studio.frames { try await device.setWhiteBalanceModeLocked(with: .value(gains)) }
        #expect(studio.camera.written.last?.whiteBalance == .gains(WhiteBalanceGains(red: 1, green: 1, blue: 2)))
        #expect(device.properties.value.whiteBalanceMode == .locked)
    }

    @Test("a temperature is told to a driver that takes one, and becomes gains for one that does not")
    func temperature() async throws {
        let studio = try locked()
        let device = studio.device
        let white = TemperatureAndTint(temperature: 5000)
        _ = try await studio.frames { try await device.setWhiteBalanceModeLocked(with: white) }
        #expect(studio.camera.written.last?.whiteBalance == .temperatureAndTint(white))
        let gained = try locked {
            $0.whiteBalance = WhiteBalanceCapability(maxWhiteBalanceGain: 4, hasAutomatic: true)
        }
        let other = gained.device
        _ = try await gained.frames { try await other.setWhiteBalanceModeLocked(with: white) }
        #expect(gained.camera.written.last?.whiteBalance == .gains(other.gains(for: white)))
    }

    @Test("a grey card in the middle gives the gains that make it grey")
    func grayWorld() async throws {
        let studio = try Studio()
        let device = studio.device
        // The manual camera's picture is grey already.
        let gains = try await studio.frames { try await device.grayWorldDeviceWhiteBalanceGains() }
        #expect(gains == WhiteBalanceGains(red: 1, green: 1, blue: 1))
    }

    // MARK: Observation

    @Test("every property can be observed, with its value now and each change")
    func observed() async throws {
        let studio = try locked()
        var modes = studio.device.properties.values(of: \.exposureMode).makeAsyncIterator()
        #expect(await modes.next() == .continuousAutoExposure)
        try await studio.device.setExposureMode(.locked)
        #expect(await modes.next() == .locked)
        var positions = studio.device.properties.values(of: \.lensPosition).makeAsyncIterator()
        #expect(await positions.next() == 0.5)
        var values = ControlValues()
        values.lensPosition = 0.9
        studio.device.cameraDidChange(values)
        #expect(await positions.next() == 0.9)
    }
}
