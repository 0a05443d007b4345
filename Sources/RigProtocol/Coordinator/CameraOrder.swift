package import CaptureModel

/// coordinator -> node: say what your camera is set to, or set it. The answer is a ``CameraReport``.
package struct CameraOrder: WireMessage, Hashable {
    package static let type = "camera"

    /// What is to be done.
    package enum Act: String, Codable, Sendable {
        /// Nothing but the answer.
        case show
        /// Set what ``settings`` has, and keep it over restarts.
        case set
        /// Set what was found before anything was set by hand, and keep nothing.
        case reset
    }

    /// Tells the answer from others'.
    package var number: Int
    /// What is to be done.
    package var act: Act
    /// With ``Act/set``.
    package var settings: CameraSettings?

    package init(number: Int, act: Act, settings: CameraSettings? = nil) {
        (self.number, self.act, self.settings) = (number, act, settings)
    }
}
