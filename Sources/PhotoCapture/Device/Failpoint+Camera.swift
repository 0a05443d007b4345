import Posix

/// Steps of a camera.
extension Failpoint {
    /// A frame has arrived, on the camera's own thread.
    static var frameArrived: Failpoint { Failpoint("frameArrived") }
}
