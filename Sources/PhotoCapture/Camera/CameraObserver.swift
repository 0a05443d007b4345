package import CaptureModel

/// Is told of a camera's frames, of changes to its controls, and of its failure.
package protocol CameraObserver: AnyObject, Sendable {
    /// A frame has arrived.
    ///
    /// - Parameter buffer: the driver's buffer; valid during the call.
    func cameraDidOutput(_ frame: FrameInfo, _ buffer: any FrameBuffer)

    /// Controls changed that nobody here wrote: by an automatic, or by another program.
    func cameraDidChange(_ values: ControlValues)

    /// No more frames will come, for this reason.
    func cameraDidFail(_ error: CaptureError)
}
