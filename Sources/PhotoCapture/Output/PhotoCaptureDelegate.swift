public import CaptureModel

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
