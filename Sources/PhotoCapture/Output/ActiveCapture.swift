import CaptureModel
import Synchronization

/// A fired capture until its `didFinishCapture`: the machine, and the ledger of callbacks that are owed.
final class ActiveCapture: Sendable {
    let prepared: PreparedCapture
    /// What belongs to the exposures; used by the camera's thread, and by the judge between two frames.
    let exposing: Mutex<Exposing>
    private let ledger = Mutex(Ledger())
    private let events: PhotoCaptureEvents.Continuation
    private let now: @Sendable () -> MonotonicTime

    struct Exposing {
        var machine: BracketMachine
        var verifier: ExposureVerifier
        /// What was written for each step, as the driver made it.
        var applied: [Int: ControlValues] = [:]
        /// What was written when, and what was seen: it shows whether the delays still hold.
        var evidence: DelayEvidence?
        /// Whether a step failed for want of a frame with its exposure.
        var hasMismatches = false
        /// Whether a photo was proved right by what is known about the camera.
        var hasVerified = false
    }

    private struct Ledger {
        var willCaptured: Set<Int> = []
        var photoCount = 0
        var firstError: CaptureError?
    }

    var uniqueID: UniqueID { prepared.uniqueID }

    /// Whether it has the camera to itself: during a bracket automatics rest, and so does all that is not written.
    var holdsCamera: Bool {
        prepared.settings.bracket != nil || prepared.settings.photo.isLensStabilizationEnabled
    }

    /// Whether its exposures are compared with what the camera's profile says about them.
    var isVerified: Bool {
        prepared.settings.photo.isExposureVerificationEnabled
            && prepared.steps.contains { $0.values.exposure != Exposure() }
    }

    init(
        prepared: PreparedCapture, fireTime: MonotonicTime?, stepOffsets: [Int64],
        events: PhotoCaptureEvents.Continuation, now: @escaping @Sendable () -> MonotonicTime
    ) {
        self.prepared = prepared
        self.events = events
        self.now = now
        let steps = prepared.steps.map(\.values)
        let machine = BracketMachine(
            steps: steps, delays: prepared.delays, isPipelined: prepared.isPipelined,
            frameDuration: prepared.capabilities.frameDurationNanoseconds,
            readout: prepared.capabilities.readoutNanoseconds, fireTime: fireTime,
            stepOffsets: stepOffsets, retakeLimit: max(8, steps.count))
        let verifier = ExposureVerifier(profile: prepared.profile, gains: Set(steps.compactMap(\.gain)))
        exposing = Mutex(Exposing(machine: machine, verifier: verifier))
    }

    func emit(_ event: PhotoCaptureEvent) {
        events.yield(TimedPhotoCaptureEvent(event: event, time: now()))
    }

    func willCapture(_ step: Int) {
        guard ledger.withLock({ $0.willCaptured.insert(step).inserted }) else { return }
        emit(.willCapturePhoto(prepared.resolvedSettings, sequenceCount: step + 1))
    }

    /// Pays the exposure's two callbacks; the first one too, where a failure came before it.
    func didCapture(_ step: Int) {
        willCapture(step)
        emit(.didCapturePhoto(prepared.resolvedSettings, sequenceCount: step + 1))
    }

    /// Pays one photo, once the one before has been taken.
    ///
    /// - Parameter make: makes it, given its place in the order of delivery.
    func deliver(_ make: (_ photoCount: Int) -> Photo) async {
        await events.waitForRoom()
        let photoCount = ledger.withLock { ledger in
            ledger.photoCount += 1
            return ledger.photoCount
        }
        let photo = make(photoCount)
        if let error = photo.record.error { ledger.withLock { $0.firstError = $0.firstError ?? error } }
        emit(.didFinishProcessingPhoto(photo))
    }

    func finish() {
        let (count, error) = ledger.withLock { ($0.photoCount, $0.firstError) }
        precondition(count == prepared.resolvedSettings.expectedPhotoCount, "a capture ends with its debt paid")
        emit(.didFinishCapture(prepared.resolvedSettings, error))
        events.finish()
    }
}
