/// An exposure in the units of a camera.
public struct Exposure: Hashable, Sendable, Codable {
    /// Nil where it is not known.
    public var duration: ExposureDuration?
    /// Only where the camera's sensitivity is calibrated.
    public var iso: Double?
    /// The driver's own gain value where it has no ISO; it has no unit.
    public var gain: Double?

    /// An exposure; what is left out is not known.
    public init(duration: ExposureDuration? = nil, iso: Double? = nil, gain: Double? = nil) {
        self.duration = duration
        self.iso = iso
        self.gain = gain
    }
}
