import CaptureModel

/// Is told of a device's frames, on the camera's thread.
protocol DeviceOutput: AnyObject, Sendable {
    func deviceDidOutput(_ frame: DeviceFrame)
    func deviceDidFail(_ error: CaptureError)
    /// The session stopped the camera, or gave it another format.
    func deviceDidStop(_ error: CaptureError)
}

extension DeviceOutput {
    func deviceDidStop(_ error: CaptureError) {}
}

/// A frame with what is known of its exposure.
struct DeviceFrame {
    let info: FrameInfo
    /// What was written and has landed on it, according to the timeline.
    let values: ControlValues
    /// Whether what it was exposed with is certain; see ``ControlTimeline/isSteady``.
    let isSteady: Bool
    /// Whether a capture has the camera to itself.
    let isHeld: Bool
    let buffer: any FrameBuffer
}
