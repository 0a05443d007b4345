package import CaptureModel
import Posix
import Synchronization

extension CaptureDevice {
    /// A settled picture is looked at so seldom, in nanoseconds: decoding costs more than it tells.
    private static let restingInterval: Int64 = 200_000_000

    /// The tone curve to meter with: the camera's own, or the one that pictures are meant for.
    private var curve: ResponseCurve { profile?.response ?? .assumed }

    /// Meters a frame, when it is certain what is in force on it: for the automatic, or to tell the offset in the other modes.
    func meter(_ frame: FrameInfo, _ buffer: any FrameBuffer) {
        let camera = camera.capabilities
        guard Self.metersItself(camera), !frame.isError, !frame.isBehind else { return }
        let interval = max(1, Self.restingInterval / max(1, camera.frameDurationNanoseconds))
        let isWanted = state.withLock { state in
            guard state.hold == nil, state.timeline.isSteady else { return false }
            state.framesSinceMetering += 1
            let isMoving = state.loop.map { !$0.isSettled } ?? false
            guard isMoving || state.framesSinceMetering >= interval else { return false }
            state.framesSinceMetering = 0
            return true
        }
        guard isWanted, let grid = buffer.luminanceGrid() else { return }
        let (curve, bias) = (curve, properties.value.exposureTargetBias)
        let (next, loop, offset) = state.withLock { state in
            let brightness = Metering.brightness(of: grid, curve, pointOfInterest: state.meteringPoint)
            let next = state.loop?.frame(brightness: brightness)
            state.metered = (frame.sequence, grid, state.timeline.inForce.exposure)
            return (next, state.loop, AutoExposureLoop.targetOffset(brightness: brightness, bias: bias))
        }
        do throws(CaptureError) {
            if let next { try write(ControlValues(next), after: frame.sequence) }
        } catch {
            // The camera's own thread says what became of it.
            return
        }
        if let loop { tell(loop) } else { properties.update { $0.exposureTargetOffset = offset } }
    }

    private func tell(_ loop: AutoExposureLoop) {
        let isOnce = properties.value.exposureMode == .autoExpose
        if isOnce, loop.isSettled { state.withLock { $0.loop = nil } }
        properties.update { properties in
            properties.isAdjustingExposure = !loop.isSettled
            properties.exposureTargetOffset = loop.targetOffset
            if isOnce, loop.isSettled { properties.exposureMode = .locked }
        }
    }

    /// Begins or ends to meter, as the exposure mode says.
    func resumeMetering(_ state: inout State, from exposure: Exposure) {
        let now = properties.value
        let isAutomatic = now.exposureMode == .continuousAutoExposure || now.exposureMode == .autoExpose
        guard isAutomatic, Self.metersItself(camera.capabilities), let range = meteredDurations else {
            state.loop = nil
            return
        }
        var loop = AutoExposureLoop(durations: range, isos: camera.capabilities.isoRange, from: exposure)
        loop.targetBias = now.exposureTargetBias
        state.loop = loop
        if loop.exposure != exposure {
            // What it begins from is not what is in force: its times are others.
            state.nextOrder += 1
            state.queue.add(state.nextOrder, .write(ControlValues(loop.exposure)))
        }
        state.framesSinceMetering = 0
    }

    /// The times that the automatic may use: where an ISO can make up for it, it leaves a bracket two stops.
    private var meteredDurations: ClosedRange<ExposureDuration>? {
        let camera = camera.capabilities
        guard let range = camera.exposureDurationRange else { return nil }
        let frame = camera.frameDurationNanoseconds
        let usual = ExposureDuration(nanoseconds: camera.isoRange == nil ? frame : frame / 4)
        let longest = min(properties.value.activeMaxExposureDuration ?? usual, range.upperBound)
        return range.lowerBound...max(longest, range.lowerBound)
    }

    /// So long is waited for the automatic, in nanoseconds.
    private static let settlingLimit: Int64 = 3_000_000_000

    /// The exposure that a capture begins from: what the automatic has settled on, or what was set.
    ///
    /// - Returns: nil where neither the core nor the driver knows it.
    package func settledExposure() async throws(CaptureError) -> Exposure? {
        guard capabilities.exposureDurationRange != nil else { return nil }
        let deadline = Clocks.monotonicNanoseconds() + Self.settlingLimit
        for await now in properties.values() {
            if let failure = now.failure { throw failure }
            guard now.isRunning else {
                throw CaptureError(.sessionNotRunning, "The capture session does not run; start it before a capture.")
            }
            // In light that flickers it never settles.
            if !now.isAdjustingExposure || Clocks.monotonicNanoseconds() > deadline { break }
        }
        return state.withLock { $0.hold?.found ?? $0.timeline.written }.exposure
    }
}
