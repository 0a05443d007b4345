/// After how many frames a control that was written is in force, for each control of a camera.
///
/// Counted from a frame's arrival: what is written right after frame s has arrived is in force from frame s + delay
/// on. A sensor exposes the next frame while it reads this one, so that 2 is the least that a driver with frames of
/// its own can have; 1 is for a sensor that waits for its next order.
public struct ControlDelays: Hashable, Sendable, Codable {
    /// Of the exposure's duration, in frames.
    public var exposureDuration: Int
    /// Of ISO or gain.
    public var gain: Int
    /// Of the time from frame to frame, where the camera wants it told: it bounds the exposure.
    public var frameDuration: Int

    /// - Parameters: each 1 or more.
    public init(exposureDuration: Int, gain: Int, frameDuration: Int? = nil) {
        let all = [exposureDuration, gain, frameDuration ?? exposureDuration]
        precondition(all.allSatisfy { $0 >= 1 }, "no control can act on a frame that has arrived")
        (self.exposureDuration, self.gain, self.frameDuration) = (all[0], all[1], all[2])
    }

    /// The same delay for every control.
    public init(_ frames: Int) {
        self.init(exposureDuration: frames, gain: frames)
    }

    /// The latest of them, in frames.
    public var longest: Int { max(exposureDuration, gain, frameDuration) }
}
