package import CaptureModel

/// node -> coordinator: what came of a ``CameraOrder``.
package struct CameraReport: WireMessage, Hashable {
    package static let type = "camera"
    /// That of the order.
    package var number: Int
    /// What the camera is set to now; nil where that cannot be said.
    package var state: CameraState?
    /// Why the order was not carried out; nil where it was.
    package var error: CaptureError?

    package init(number: Int, state: CameraState? = nil, error: CaptureError? = nil) {
        (self.number, self.state, self.error) = (number, state, error)
    }
}
