package import CaptureModel
import Posix

/// Setting a camera by hand, several properties at once.
extension CaptureDevice {
    /// How long an automatic has that is to choose once.
    private static let onceLimit = Duration.seconds(5)

    /// Sets what has a value, and waits until it is in force. What an automatic is to choose once is locked where it is
    /// after five seconds, as in light that flickers it never settles.
    ///
    /// - Throws: ``CaptureDeviceError`` before anything is written where one of the values is not possible.
    package func set(_ settings: CameraSettings) async throws {
        try lockForConfiguration()
        defer { unlockForConfiguration() }
        let changes = DeviceMachine.changes(for: settings)
        try run { machine throws(CaptureDeviceError) in try machine.check(changes) }
        interruptRelearning()
        for change in changes {
            try await order { machine throws(CaptureDeviceError) in try machine.make(change) }
        }
        try await settle(settings)
    }

    /// Refuses settings of which one is not possible, and does nothing.
    package func check(_ settings: CameraSettings) throws(CaptureDeviceError) {
        var trial = look { $0 }
        trial.isLocked = true
        try trial.check(DeviceMachine.changes(for: settings))
    }

    /// Waits for what an automatic is to choose once.
    private func settle(_ settings: CameraSettings) async throws {
        func isChoosing(_ now: DeviceProperties) -> Bool {
            now.exposureMode == .autoExpose || now.focusMode == .autoFocus
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await now in self.properties.values() where !isChoosing(now) || !now.isRunning { break }
                if settings.whiteBalanceMode == .autoWhiteBalance { try await self.settleWhiteBalance() }
            }
            // Whichever ends first.
            group.addTask { try? await Task.sleep(for: Self.onceLimit) }
            try await group.next()
            group.cancelAll()
        }
        let now = properties.value
        guard now.isRunning else {
            throw now.failure ?? CaptureError(.sessionNotRunning, "\(uniqueID) was stopped before it was set.")
        }
        if now.exposureMode == .autoExpose { try await setExposureMode(.locked) }
        if now.focusMode == .autoFocus { try await setFocusMode(.locked) }
    }

    /// No driver says when it has balanced the colours: it has once its choice rests for a second.
    private func settleWhiteBalance() async throws {
        var (last, since) = (try await read().whiteBalance, ContinuousClock.now)
        while !Task.isCancelled, .now - since < .seconds(1) {
            // The pace of the questions: no frame says that a colour has been chosen.
            try? await Task.sleep(for: .milliseconds(100))
            let now = try await read().whiteBalance
            if now != last { (last, since) = (now, .now) }
        }
    }

    /// A driver may take its time.
    private func read() async throws -> ControlValues {
        try await OSThread.run(name: "camera-read") { [camera] in try camera.read() }
    }

    /// What it is set to, read back from the driver, and what it can be set to.
    package func currentState() async throws -> CameraState {
        let read = try await read()
        let (current, automatics, choices) = look { ($0.settings(read), $0.automatics, $0.choices) }
        var state = CameraState(camera: capabilities, current: current)
        state.automatic = automatics.automatic.map(\.rawValue)
        state.adjusting = automatics.adjusting.map(\.rawValue)
        state.choices = Dictionary(uniqueKeysWithValues: choices.map { ($0.key.rawValue, $0.value) })
        state.driverNames = Dictionary(uniqueKeysWithValues: camera.driverNames.map { ($0.key.rawValue, $0.value) })
        if look(\.metersItself) { state.exposureTargetOffset = properties.value.exposureTargetOffset }
        return state
    }
}
