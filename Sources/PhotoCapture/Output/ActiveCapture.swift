import CaptureModel
import Synchronization

/// A fired capture until its `didFinishCapture`: the machine, and the ledger of callbacks that are owed.
final class ActiveCapture: Sendable {
    let prepared: PreparedCapture
    let machine: Mutex<BracketMachine>
    /// What was written for each step.
    let applied: Mutex<[Int: Exposure]>
    private let ledger = Mutex(Ledger())
    private let events: AsyncStream<TimedPhotoCaptureEvent>.Continuation
    private let now: @Sendable () -> MonotonicTime

    private struct Ledger {
        var willCaptured: Set<Int> = []
        var photoCount = 0
        var firstError: CaptureError?
    }

    var uniqueID: UniqueID { prepared.uniqueID }

    var overridesExposure: Bool { prepared.steps.contains { $0.exposure != nil } }

    init(
        prepared: PreparedCapture, fireTime: MonotonicTime?,
        events: AsyncStream<TimedPhotoCaptureEvent>.Continuation, now: @escaping @Sendable () -> MonotonicTime
    ) {
        self.prepared = prepared
        self.events = events
        self.now = now
        applied = Mutex([:])
        machine = Mutex(
            BracketMachine(
                steps: prepared.steps.map { BracketMachine.Step(exposure: $0.exposure) },
                controlDelay: prepared.capabilities.controlDelayFrames,
                frameDuration: prepared.capabilities.frameDurationNanoseconds, fireTime: fireTime))
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

    /// Pays one photo.
    ///
    /// - Parameter make: makes it, given its place in the order of delivery.
    func deliver(_ make: (_ photoCount: Int) -> Photo) {
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
