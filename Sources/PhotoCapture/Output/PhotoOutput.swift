package import CaptureModel
import Posix
import Synchronization

/// Takes photos and brackets from a running camera. Apple: `AVCapturePhotoOutput`.
///
/// A capture goes in two phases: ``prepare(_:)`` resolves the settings and holds the capture ready, ``fire(_:at:)``
/// takes it. ``capturePhoto(with:delegate:)`` does both at once. Captures are exposed one after the other, and
/// encoded while the next one is exposed.
package final class PhotoOutput: CameraObserver {
    private let camera: any Camera
    private let processor: PhotoProcessor
    private let now: @Sendable () -> MonotonicTime
    private let onFailure: @Sendable (CaptureError) -> Void
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        var failure: CaptureError?
        var usedIDs: Set<UniqueID> = []
        /// Fired captures in order; the first one is being exposed.
        var captures: [ActiveCapture] = []
    }

    /// - Parameters:
    ///   - onFailure: hears of the camera's end, on the camera's thread.
    ///   - now: reads CLOCK_MONOTONIC; a test gives its own.
    package init(
        camera: any Camera, software: String = "Volley",
        onFailure: @escaping @Sendable (CaptureError) -> Void = { _ in },
        now: @escaping @Sendable () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
        }
    ) {
        self.camera = camera
        self.now = now
        self.onFailure = onFailure
        processor = PhotoProcessor(capabilities: camera.capabilities, software: software, now: now)
    }

    /// The most steps that a bracket may have now; 0 where the active format cannot bracket.
    package var maxBracketedCapturePhotoCount: Int { camera.capabilities.maxBracketedCapturePhotoCount }

    // MARK: Capturing

    /// Checks and resolves a request, and waits for the camera's automatic to settle.
    ///
    /// - Throws: ``CaptureSettingsError`` for what this camera cannot do, ``CaptureError`` for a camera that is not
    ///   there or does not run.
    package func prepare(_ settings: some PhotoCaptureSettings) async throws -> PreparedCapture {
        let capabilities = camera.capabilities
        if let violation = capabilities.violations(bracket: settings.bracket, formats: settings.formats).first {
            throw violation
        }
        try checkRunning()
        let settled = try await camera.settledExposure()
        let steps = try ExposureResolver.steps(of: settings, on: capabilities, settled: settled)
        return PreparedCapture(settings: settings, steps: steps, capabilities: capabilities)
    }

    /// Takes a prepared capture; the events come in order and end with `didFinishCapture`.
    ///
    /// - Parameter time: when the first exposure begins; nil for as soon as can be. An instant that can no longer be
    ///   met is an error of every photo, never a late exposure.
    /// - Throws: ``CaptureSettingsError`` when the settings were used before.
    package func fire(
        _ prepared: PreparedCapture, at time: MonotonicTime? = nil
    ) throws(CaptureSettingsError) -> AsyncStream<TimedPhotoCaptureEvent> {
        let (stream, continuation) = AsyncStream<TimedPhotoCaptureEvent>.makeStream()
        let capture = ActiveCapture(prepared: prepared, fireTime: time, events: continuation, now: now)
        let isFirstUse = state.withLock { state in
            guard state.usedIDs.insert(prepared.uniqueID).inserted else { return false }
            capture.emit(.willBeginCapture(prepared.resolvedSettings))
            state.captures.append(capture)
            if let failure = state.failure ?? (state.isRunning ? nil : Self.notRunning) {
                abortAll(&state, failure)
            }
            return true
        }
        guard isFirstUse else {
            throw CaptureSettingsError(
                .settingsReused, "The settings \(prepared.uniqueID) were used already; make new ones for each capture.")
        }
        return stream
    }

    /// Captures with settings that are used once, and tells a delegate. Returns after `didFinishCapture`.
    package func capturePhoto(
        with settings: some PhotoCaptureSettings, delegate: some PhotoCaptureDelegate
    ) async throws {
        let events = try fire(try await prepare(settings))
        for await timed in events {
            switch timed.event {
            case .willBeginCapture(let resolved):
                await delegate.photoOutput(self, willBeginCaptureFor: resolved)
            case .willCapturePhoto(let resolved, let count):
                await delegate.photoOutput(self, willCapturePhotoFor: resolved, sequenceCount: count)
            case .didCapturePhoto(let resolved, let count):
                await delegate.photoOutput(self, didCapturePhotoFor: resolved, sequenceCount: count)
            case .didFinishProcessingPhoto(let photo):
                await delegate.photoOutput(self, didFinishProcessingPhoto: photo, error: photo.record.error)
            case .didFinishCapture(let resolved, let error):
                await delegate.photoOutput(self, didFinishCaptureFor: resolved, error: error)
            }
        }
    }

    /// Gives up a fired capture; what it still owes comes as errors.
    package func cancel(_ uniqueID: UniqueID) {
        let error = CaptureError(.operationCancelled, "The capture was cancelled.")
        state.withLock { state in
            guard let index = state.captures.firstIndex(where: { $0.uniqueID == uniqueID }) else { return }
            perform(state.captures[index].machine.withLock { $0.abort(error) }, &state, index)
        }
    }

    private static let notRunning = CaptureError(
        .sessionNotRunning, "The capture session does not run; start it before a capture.")

    private func checkRunning() throws(CaptureError) {
        let problem = state.withLock { $0.failure ?? ($0.isRunning ? nil : Self.notRunning) }
        if let problem { throw problem }
    }

    // MARK: The session and the camera

    func sessionDidStart() {
        state.withLock { state in
            state.isRunning = true
            state.failure = nil
        }
    }

    func sessionDidStop() {
        state.withLock { state in
            state.isRunning = false
            abortAll(&state, Self.notRunning)
        }
    }

    package func cameraDidOutput(_ frame: FrameInfo, contents: () -> any FrameContents) {
        state.withLock { state in
            guard let capture = state.captures.first else { return }
            let actions = capture.machine.withLock { $0.frame(frame) }
            perform(actions, &state, 0, frame, contents)
        }
    }

    package func cameraDidFail(_ error: CaptureError) {
        state.withLock { state in
            state.failure = error
            abortAll(&state, error)
        }
        onFailure(error)
    }

    private func abortAll(_ state: inout State, _ error: CaptureError) {
        while let capture = state.captures.first {
            perform(capture.machine.withLock { $0.abort(error) }, &state, 0)
        }
    }

    /// Does what the machine says, under the lock: one capture's actions never interleave.
    private func perform(
        _ actions: [BracketMachine.Action], _ state: inout State, _ index: Int,
        _ frame: FrameInfo? = nil, _ contents: () -> (any FrameContents)? = { nil }
    ) {
        let capture = state.captures[index]
        for action in actions {
            switch action {
            case .write(let step, let exposure):
                write(exposure, step: step, capture, &state, index)
            case .willCapture(let step):
                capture.willCapture(step)
            case .take(let step):
                guard let frame, let contents = contents() else {
                    preconditionFailure("a step can be taken from a frame only")
                }
                capture.didCapture(step)
                processor.process(capture, step, frame, contents)
            case .fail(let step, let error):
                capture.didCapture(step)
                processor.fail(capture, step, error)
            case .finish:
                state.captures.remove(at: index)
                // What the bracket overrode is put back, whatever happened to it.
                if index == 0, capture.overridesExposure { _ = try? camera.setExposure(.continuousAutoExposure) }
                processor.finish(capture)
            }
        }
    }

    private func write(
        _ exposure: Exposure, step: Int, _ capture: ActiveCapture, _ state: inout State, _ index: Int
    ) {
        do {
            let applied = try camera.setExposure(.custom(exposure))
            capture.applied.withLock { $0[step] = applied }
        } catch {
            perform(capture.machine.withLock { $0.abort(error) }, &state, index)
        }
    }
}
