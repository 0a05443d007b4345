public import CaptureModel
import PhotoEncoding

/// One callback of a capture's life, as a value; ``PhotoOutput`` gives them as a sequence, in order.
///
/// `willBeginCapture` is the first and `didFinishCapture` the last; each exposure has one `willCapturePhoto` and one
/// `didCapturePhoto`, each expected photo one `didFinishProcessingPhoto`, even where something failed.
public enum PhotoCaptureEvent: Sendable {
    case willBeginCapture(ResolvedPhotoSettings)
    /// The exposure of this `sequenceCount` is about to be taken.
    case willCapturePhoto(ResolvedPhotoSettings, sequenceCount: Int)
    case didCapturePhoto(ResolvedPhotoSettings, sequenceCount: Int)
    /// With the error in the photo's record.
    case didFinishProcessingPhoto(Photo)
    /// With the first error of the capture, where there was one.
    case didFinishCapture(ResolvedPhotoSettings, CaptureError?)

    /// The name of the callback.
    public var kind: CaptureEventKind {
        switch self {
        case .willBeginCapture: .willBeginCapture
        case .willCapturePhoto: .willCapturePhoto
        case .didCapturePhoto: .didCapturePhoto
        case .didFinishProcessingPhoto: .didFinishProcessingPhoto
        case .didFinishCapture: .didFinishCapture
        }
    }
}

/// An event with the instant at which it happened.
public struct TimedPhotoCaptureEvent: Sendable {
    /// What happened.
    public let event: PhotoCaptureEvent
    /// When, on this board's CLOCK_MONOTONIC.
    public let time: MonotonicTime
}
