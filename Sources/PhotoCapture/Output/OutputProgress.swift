public import CaptureModel

/// What a photo output is busy with.
public struct OutputProgress: Hashable, Sendable {
    /// Whether the session runs.
    public var isRunning = false
    /// The requests that are fired and not yet exposed, in order; whether each is a bracket.
    var exposing: [Exposing] = []
    /// Captures whose photos are still being made.
    var processing = 0
    /// The highest id of a request that was fired.
    public var newestID = UniqueID(rawValue: .min)

    struct Exposing: Hashable, Sendable {
        let uniqueID: UniqueID
        let isBracket: Bool
    }

    /// Whether a request would be served at once.
    public var readiness: CaptureReadiness {
        guard isRunning else { return .sessionNotRunning }
        if let first = exposing.first {
            return first.isBracket || exposing.count > 1 ? .notReadyWaitingForCapture : .notReadyMomentarily
        }
        return processing > 0 ? .notReadyWaitingForProcessing : .ready
    }
}
