/// How many frames each control of a camera takes to come into force once it is written.
///
/// Counted from a frame's arrival: what is written right after frame s has arrived is in force from frame s + delay
/// onwards. A sensor exposes the next frame while it reads out this one, so 2 is the least for a camera that runs
/// freely; 1 is for a sensor that waits for its next order.
public struct ControlDelays: Hashable, Sendable, Codable {
    /// For the exposure duration, in frames.
    public var exposureDuration: Int
    /// For ISO or gain, in frames.
    public var gain: Int
    /// For the frame duration, in frames, where the camera has to be given one: it bounds the exposure.
    public var frameDuration: Int

    /// - Precondition: each delay is 1 or more.
    public init(exposureDuration: Int, gain: Int, frameDuration: Int? = nil) {
        let all = [exposureDuration, gain, frameDuration ?? exposureDuration]
        precondition(all.allSatisfy { $0 >= 1 }, "no control can act on a frame that has arrived")
        (self.exposureDuration, self.gain, self.frameDuration) = (all[0], all[1], all[2])
    }

    /// The same delay for every control.
    public init(_ frames: Int) {
        self.init(exposureDuration: frames, gain: frames)
    }

    /// The longest of them, in frames.
    public var longest: Int { max(exposureDuration, gain, frameDuration) }
}
