package import CaptureModel

/// coordinator -> node: your camera's timestamps are off by this much more than you knew.
package struct MoveStart: WireMessage, Hashable {
    package static let type = "moveStart"
    /// To be added to them, in nanoseconds.
    package var nanoseconds: Int64
    /// How well the camera's starts are known after that; nil where too little was seen to say.
    package var lamp: LampMeasurement?

    package init(nanoseconds: Int64, lamp: LampMeasurement? = nil) {
        self.nanoseconds = nanoseconds
        self.lamp = lamp
    }

    /// Whether the numbers can be genuine.
    package var isPlausible: Bool {
        nanoseconds.magnitude < Int64.seconds(1).magnitude && lamp?.isPlausible ?? true
    }
}
