public import CaptureModel
import Posix
import Synchronization

/// Takes photos and brackets from a running camera. Apple: `AVCapturePhotoOutput`.
///
/// A capture has two phases: ``prepare(_:)`` resolves the settings and holds the capture ready,
/// ``fire(_:at:stepOffsets:)`` takes it. ``capturePhoto(with:delegate:)`` does both at once. Captures are exposed one
/// after the other, and encoded while the next one is exposed.
public final class PhotoOutput: DeviceOutput {
    private let software: String
    private let now: @Sendable () -> MonotonicTime
    private let calendar: any PhotoCalendar
    let state = Mutex(State())
    /// What it is busy with.
    public let progress = Observed(OutputProgress())
    /// Kept ready for brackets.
    let pool = FramePool()
    let preparation = Mutex(Preparation())

    struct State {
        /// The camera that it takes photos from; nil outside a session.
        var connection: Connection?
        var maxPhotoQualityPrioritization = PhotoQualityPrioritization.quality
        var usedIDs = UsedIDs()
        /// Fired captures in order; the first one is being exposed.
        var captures: [ActiveCapture] = []
        /// The one that has begun.
        var begun: UniqueID?
        /// Taken frames whose photos are still to be made.
        var heldFrames = 0

        /// Whether a capture may begin: memory holds as many frames as one bracket may have.
        mutating func hasRoom(for capture: ActiveCapture, _ limit: Int) -> Bool {
            guard begun != capture.uniqueID else { return true }
            guard heldFrames == 0 || heldFrames + capture.prepared.steps.count <= limit else { return false }
            begun = capture.uniqueID
            return true
        }
    }

    /// A device with what works on its frames.
    struct Connection {
        let device: CaptureDevice
        let judge: FrameJudge
        let processor: PhotoProcessor
        /// The format that the session streams, whatever a large photo needs meanwhile.
        var streamFormat: (format: CameraFormat, frameDuration: Int64)?
        /// The newest large photo; when it ends, the stream's format comes back.
        var largePhoto: UniqueID?
        /// The stream's format is on its way back.
        var isRestoring = false
        let switchFormat: @Sendable (CameraFormat, _ frameDuration: Int64?) async throws -> Void
    }

    /// - Parameter software: the program that the photos' metadata say took them.
    public convenience init(software: String = "Volley") {
        self.init(software: software, calendar: OwnCalendar())
    }

    /// - Parameters:
    ///   - now: reads CLOCK_MONOTONIC; tests supply their own.
    ///   - calendar: for the times in files.
    package init(
        software: String = "Volley",
        now: @escaping @Sendable () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
        },
        calendar: any PhotoCalendar
    ) {
        self.software = software
        self.now = now
        self.calendar = calendar
    }

    /// The camera that photos come from; nil until the output is in a session with one.
    public var device: CaptureDevice? { state.withLock { $0.connection?.device } }

    /// The most steps that a bracket may have now; 0 where the active format cannot bracket.
    public var maxBracketedCapturePhotoCount: Int { device?.capabilities.maxBracketedCapturePhotoCount ?? 0 }

    /// Whether a request would be served at once; see ``progress`` to watch it.
    public var captureReadiness: CaptureReadiness { progress.value.readiness }

    /// The codecs of processed photos; empty until the output is in a session with a camera.
    public var availablePhotoCodecTypes: [PhotoFormat] { device?.capabilities.formats.filter { !$0.isRaw } ?? [] }

    /// The sensor's own formats that can be delivered as RAW photos; empty where there are none.
    public var availableRawPhotoPixelFormatTypes: [String] {
        guard let camera = device?.capabilities, camera.formats.contains(.dng) else { return [] }
        return [camera.pixelFormat]
    }

    /// The stream's dimensions, and the larger ones that the camera has in the same pixel format.
    public var supportedMaxPhotoDimensions: [Dimensions] {
        guard let device else { return [] }
        let camera = device.capabilities
        func area(_ size: Dimensions) -> Int { size.width * size.height }
        let stream = state.withLock { $0.connection?.streamFormat?.format.dimensions } ?? camera.dimensions
        let larger = device.camera.formats.filter { format in
            format.pixelFormat == camera.pixelFormat && area(format.dimensions) > area(stream)
        }
        return [stream] + larger.map(\.dimensions).sorted { area($0) < area($1) }
    }

    /// Takes its frames from a device from now on.
    ///
    /// - Parameter switchFormat: switches the device to another format, and resumes with it.
    func connect(
        to device: CaptureDevice, switchFormat: @escaping @Sendable (CameraFormat, Int64?) async throws -> Void
    ) {
        let judge = FrameJudge { [weak self] in self?.judged($0) }
        let processor = PhotoProcessor(software: software, calendar: calendar) { [weak self] in
            self?.state.withLock { $0.heldFrames -= 1 }
        } onFinish: { [weak self] capture in
            // Only the large photo itself ends what was done for it.
            if capture.prepared.settings.photo.maxPhotoDimensions != nil {
                await self?.restoreFormat(after: capture.uniqueID)
            }
            self?.progress.update { $0.processing -= 1 }
        }
        state.withLock {
            $0.connection = Connection(device: device, judge: judge, processor: processor, switchFormat: switchFormat)
        }
        device.add(self)
    }

    /// Refuses what cannot be done, before anything is.
    ///
    /// - Throws: ``CaptureSettingsError``: the first of the request's violations.
    func check(_ settings: some PhotoCaptureSettings) throws(CaptureSettingsError) {
        guard let device else {
            throw CaptureSettingsError(
                .noActiveVideoConnection, "The photo output has no camera; add both to a session first.")
        }
        let offer = PhotoOutputCapabilities(
            camera: device.capabilities, maxPhotoQualityPrioritization: maxPhotoQualityPrioritization,
            supportedMaxPhotoDimensions: supportedMaxPhotoDimensions)
        if let violation = offer.violations(settings).first { throw violation }
        if state.withLock({ $0.usedIDs.contains(settings.uniqueID) }) {
            throw CaptureSettingsError(
                .settingsReused, "The settings \(settings.uniqueID) were already used; make new ones for each capture.")
        }
    }

    /// The highest prioritisation that a request may have.
    public var maxPhotoQualityPrioritization: PhotoQualityPrioritization {
        get { state.withLock { $0.maxPhotoQualityPrioritization } }
        set { state.withLock { $0.maxPhotoQualityPrioritization = newValue } }
    }

    // MARK: Capturing

    /// Checks and resolves a request, and waits for the camera's automatic to settle.
    ///
    /// - Throws: ``CaptureSettingsError`` for what this camera cannot do, ``CaptureError`` for a camera that is not
    ///   there or not running.
    public func prepare(_ settings: some PhotoCaptureSettings) async throws -> PreparedCapture {
        try await prepare(settings, shared: ControlValues())
    }

    /// - Parameter shared: an exposure and a white balance to use instead of the camera's own.
    package func prepare(
        _ settings: some PhotoCaptureSettings, shared: ControlValues
    ) async throws -> PreparedCapture {
        try check(settings)
        guard let device else { preconditionFailure("a request was checked without a camera") }
        if let problem = Self.problem(of: device) { throw problem }
        do {
            let dimensions = try await useFormat(for: settings.photo, settings.uniqueID, device)
            return try await resolve(settings, shared, device, dimensions)
        } catch {
            await restoreFormat(after: settings.uniqueID)
            throw error
        }
    }

    private func resolve(
        _ settings: some PhotoCaptureSettings, _ shared: ControlValues, _ device: CaptureDevice,
        _ dimensions: Dimensions
    ) async throws -> PreparedCapture {
        device.interruptRelearning()
        if settings.bracket?.variesExposure ?? false {
            // A camera that cannot be learned, in the dark or while a bracket has it, is given more frames than it can need.
            do { try await device.learnControls() } catch let error as CaptureError {
                guard [.calibrationFailed, .operationNotAllowed].contains(error.code) else { throw error }
            }
        }
        let settled = try await device.settledExposure()
        let camera = device.capabilities
        guard camera.dimensions == dimensions else {
            throw CaptureError(
                .sessionConfigurationChanged,
                "\(device.uniqueID) was switched to another format meanwhile; prepare the capture again.")
        }
        let steps = try ExposureResolver.steps(of: settings, on: camera, settled: settled, shared: shared)
        return PreparedCapture(settings: settings, steps: steps, capabilities: camera, profile: device.profile)
    }

    /// Takes a prepared capture; the events come in order and end with `didFinishCapture`.
    ///
    /// - Parameters:
    ///   - prepared: what ``prepare(_:)`` returned; it can be fired once.
    ///   - time: when the first exposure begins; nil for as soon as possible. An instant that can no longer be met is
    ///     an error in every photo, never a late exposure.
    ///   - stepOffsets: how many nanoseconds after it each step begins; empty for consecutive frames.
    /// - Throws: ``CaptureSettingsError`` when the settings were used before.
    public func fire(
        _ prepared: PreparedCapture, at time: MonotonicTime? = nil, stepOffsets: [Int64] = []
    ) throws(CaptureSettingsError) -> PhotoCaptureEvents {
        let (stream, continuation) = PhotoCaptureEvents.makeStream()
        let capture = ActiveCapture(
            prepared: prepared, fireTime: time, stepOffsets: stepOffsets, events: continuation, now: now)
        let isFirstUse = state.withLock { state in
            precondition(state.connection != nil, "a prepared capture has a camera")
            guard state.usedIDs.insert(prepared.uniqueID) else { return false }
            capture.emit(.willBeginCapture(prepared.resolvedSettings))
            state.captures.append(capture)
            state.connection?.device.interruptRelearning()
            progress.update { progress in
                progress.newestID = max(progress.newestID, prepared.uniqueID)
                progress.exposing.append(
                    .init(uniqueID: prepared.uniqueID, isBracket: prepared.settings.bracket != nil))
            }
            if let problem = state.connection.map({ Self.problem(of: $0.device, for: prepared) }) ?? Self.notRunning {
                perform(capture.exposing.withLock { $0.machine.abort(problem) }, capture, &state)
            }
            return true
        }
        guard isFirstUse else {
            throw CaptureSettingsError(
                .settingsReused, "The settings \(prepared.uniqueID) were already used; make new ones for each capture.")
        }
        return stream
    }

    /// Captures with these settings, which can be used once, and tells a delegate. Returns after `didFinishCapture`.
    ///
    /// Cancelling the task gives the capture up; the delegate still gets every callback that is owed.
    public func capturePhoto(
        with settings: some PhotoCaptureSettings, delegate: some PhotoCaptureDelegate
    ) async throws {
        let events = try fire(try await prepare(settings))
        // In a task of its own, which is not cancelled with its caller's.
        let telling = Task { for await timed in events { await tell(delegate, timed.event) } }
        await withTaskCancellationHandler {
            await telling.value
        } onCancel: {
            cancel(settings.uniqueID)
        }
    }

    private func tell(_ delegate: some PhotoCaptureDelegate, _ event: PhotoCaptureEvent) async {
        switch event {
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

    /// Gives up a fired capture; what it still owes is delivered with this error.
    public func cancel(
        _ uniqueID: UniqueID,
        because error: CaptureError = CaptureError(.operationCancelled, "The capture was cancelled.")
    ) {
        state.withLock { state in
            guard let capture = state.captures.first(where: { $0.uniqueID == uniqueID }) else { return }
            perform(capture.exposing.withLock { $0.machine.abort(error) }, capture, &state)
        }
    }

    static let notRunning = CaptureError(
        .sessionNotRunning, "The capture session is not running; start it before a capture.")

    private static func problem(of device: CaptureDevice, for prepared: PreparedCapture? = nil) -> CaptureError? {
        let now = device.properties.value
        if let prepared, prepared.capabilities.dimensions != now.capabilities.dimensions {
            return CaptureError(
                .sessionConfigurationChanged,
                "\(device.uniqueID) now streams \(now.capabilities.dimensions); prepare the capture again.")
        }
        return now.failure ?? (now.isRunning ? nil : notRunning)
    }
}
