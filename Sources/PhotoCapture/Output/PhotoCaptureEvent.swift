public import CaptureModel
public import PhotoEncoding

/// A delivered photo, or what is known of one that failed. Apple: `AVCapturePhoto`.
public struct Photo: Sendable {
    /// Everything but the file; without a time for a failed photo, as Apple has it.
    public var record: PhotoRecord
    /// The bytes of the file; nil for a failed photo.
    public var fileData: [UInt8]?
    /// Of the picture; zero by zero for a failed photo.
    public var dimensions: Dimensions
    /// A small copy for a viewer, where one was asked for.
    public var preview: YUVImage?
    /// 32 hexadecimal digits, as in the file's EXIF.
    public var imageUniqueID: String
    /// What the request became on this camera.
    public let resolvedSettings: ResolvedPhotoSettings
}

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

/// Follows a capture's life, callback by callback. Apple: `AVCapturePhotoCaptureDelegate`.
///
/// All callbacks of one capture come one after the other. Every method has an empty default.
public protocol PhotoCaptureDelegate: AnyObject, Sendable {
    func photoOutput(_ output: PhotoOutput, willBeginCaptureFor settings: ResolvedPhotoSettings) async
    func photoOutput(
        _ output: PhotoOutput, willCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int) async
    func photoOutput(
        _ output: PhotoOutput, didCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int) async
    func photoOutput(_ output: PhotoOutput, didFinishProcessingPhoto photo: Photo, error: CaptureError?) async
    func photoOutput(
        _ output: PhotoOutput, didFinishCaptureFor settings: ResolvedPhotoSettings, error: CaptureError?) async
}

extension PhotoCaptureDelegate {
    /// Does nothing.
    public func photoOutput(_ output: PhotoOutput, willBeginCaptureFor settings: ResolvedPhotoSettings) async {}
    /// Does nothing.
    public func photoOutput(
        _ output: PhotoOutput, willCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int
    ) async {}
    /// Does nothing.
    public func photoOutput(
        _ output: PhotoOutput, didCapturePhotoFor settings: ResolvedPhotoSettings, sequenceCount: Int
    ) async {}
    /// Does nothing.
    public func photoOutput(
        _ output: PhotoOutput, didFinishProcessingPhoto photo: Photo, error: CaptureError?
    ) async {}
    /// Does nothing.
    public func photoOutput(
        _ output: PhotoOutput, didFinishCaptureFor settings: ResolvedPhotoSettings, error: CaptureError?
    ) async {}
}
