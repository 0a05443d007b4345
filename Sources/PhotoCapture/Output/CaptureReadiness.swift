import CaptureModel
import Synchronization

/// Whether a photo output would serve a request at once. Apple: `AVCapturePhotoOutput.CaptureReadiness`.
///
/// A request is accepted whatever this says; it is only served later.
public enum CaptureReadiness: Int, Hashable, Sendable {
    case sessionNotRunning = 0
    case ready
    /// For a frame or two: not worth showing to a person.
    case notReadyMomentarily
    /// A bracket is being exposed.
    case notReadyWaitingForCapture
    /// Photos are still being encoded.
    case notReadyWaitingForProcessing
}
