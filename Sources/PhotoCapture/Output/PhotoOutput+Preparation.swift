public import CaptureModel
import Synchronization

extension PhotoOutput {
    /// The hint at what will be captured, and who waits until all is ready for it.
    struct Preparation {
        var settings: [any PhotoCaptureSettings] = []
        var waiting: CheckedContinuation<Bool, Never>?
        /// The session is being configured.
        var isDeferred = false
    }

    /// The session's configuration begins or ends; what is asked for in between is made ready at the end.
    func setConfiguring(_ isConfiguring: Bool) {
        preparation.withLock { $0.isDeferred = isConfiguring }
        if !isConfiguring { prepareIfPossible() }
    }

    /// Giving memory back needs no camera.
    private func prepareIfPossible() {
        let (isDeferred, isEmpty) = preparation.withLock { ($0.isDeferred, $0.settings.isEmpty) }
        if !isDeferred, progress.value.isRunning || isEmpty { resumePreparation() }
    }

    /// The kinds of capture that are to be fast. Apple: `preparedPhotoSettingsArray`.
    public var preparedPhotoSettings: [any PhotoCaptureSettings] { preparation.withLock { $0.settings } }

    /// Announces the kinds of capture that will come, so that memory is reserved and the camera is known by then; an
    /// empty array gives all memory back. A capture that was not prepared for is only slower.
    ///
    /// - Returns: true when all is ready, which waits for the session to run; false when a later call came first.
    /// - Throws: ``CaptureSettingsError`` for settings that a capture would be refused for.
    public func setPreparedPhotoSettings(_ settings: [any PhotoCaptureSettings]) async throws -> Bool {
        for one in settings { try check(one) }
        return await withCheckedContinuation { continuation in
            let earlier = preparation.withLock { preparation in
                preparation.settings = settings
                let earlier = preparation.waiting.take()
                preparation.waiting = continuation
                return earlier
            }
            earlier?.resume(returning: false)
            prepareIfPossible()
        }
    }

    /// The session is running: what was asked for can be made ready.
    func resumePreparation() {
        Task {
            let settings = preparation.withLock { $0.settings }
            await makeReady(settings)
            // A later call has its own answer.
            let waiting = preparation.withLock { preparation in
                preparation.settings.map(\.uniqueID) == settings.map(\.uniqueID) ? preparation.waiting.take() : nil
            }
            waiting?.resume(returning: true)
        }
    }

    private func makeReady(_ settings: [any PhotoCaptureSettings]) async {
        guard let device else { return }
        let count = settings.map(\.exposureCount).max() ?? 0
        // Two more, for frames that are taken again while others are judged.
        pool.reserve(count == 0 ? 0 : count + 2, byteCount: device.camera.frameByteCount)
        // What could not be learned now is tried again by the capture, which says why it fails.
        if settings.contains(where: { $0.bracket != nil }) { try? await device.learnControls() }
    }
}
