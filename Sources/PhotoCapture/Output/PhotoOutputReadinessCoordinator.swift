public import CaptureModel
import Synchronization

/// Reports readiness, counting requests that are about to be made. Apple: `AVCapturePhotoOutputReadinessCoordinator`.
///
/// A button that was pressed is busy at once, long before its request has reached the output.
public final class PhotoOutputReadinessCoordinator: Sendable {
    private let output: PhotoOutput
    private let tracked = Mutex<[UniqueID]>([])
    /// The readiness; its initial value is delivered as well.
    public let captureReadiness: Observed<CaptureReadiness>
    private let watcher = Mutex<Task<Void, Never>?>(nil)

    /// Follows an output.
    public init(photoOutput: PhotoOutput) {
        output = photoOutput
        captureReadiness = Observed(photoOutput.captureReadiness)
        let changes = photoOutput.progress.values()
        watcher.withLock { watcher in
            watcher = Task { [weak self] in
                for await progress in changes { self?.follow(progress) }
            }
        }
    }

    deinit {
        watcher.withLock { $0?.cancel() }
    }

    private func follow(_ progress: OutputProgress) {
        let isWaiting = tracked.withLock { tracked in
            // The same or a newer request has arrived.
            tracked.removeAll { $0 <= progress.newestID }
            return !tracked.isEmpty
        }
        captureReadiness.update { $0 = Self.folded(progress.readiness, isWaiting) }
    }

    /// Counts in a request that has not been made yet.
    ///
    /// - Throws: ``CaptureSettingsError`` for settings that the output would refuse.
    public func startTrackingCaptureRequest(using settings: some PhotoCaptureSettings) throws {
        try output.check(settings)
        tracked.withLock { $0.append(settings.uniqueID) }
        captureReadiness.update { $0 = Self.folded(output.captureReadiness, true) }
    }

    /// Leaves out a request that will never be made.
    public func stopTrackingCaptureRequest(usingUniqueID id: UniqueID) {
        let isWaiting = tracked.withLock { tracked in
            tracked.removeAll { $0 == id }
            return !tracked.isEmpty
        }
        captureReadiness.update { $0 = Self.folded(output.captureReadiness, isWaiting) }
    }

    private static func folded(_ readiness: CaptureReadiness, _ isWaiting: Bool) -> CaptureReadiness {
        readiness == .ready && isWaiting ? .notReadyMomentarily : readiness
    }
}
