/// The exposure of one step once it is known: what will be written to the camera.
public struct ResolvedExposure: Hashable, Sendable, Codable {
    /// 1 for the first step.
    public let sequenceCount: Int
    /// The bias in EV that led to the values, for a step of an automatic bracket.
    public let exposureTargetBias: Double?
    /// Nil where the camera's exposure is neither set nor known.
    public let duration: ExposureDuration?
    /// Nil where the camera has no ISO; a gain without unit is not one.
    public let iso: Double?
    /// The driver's own value where a step asks for one; it has no unit.
    public var gain: Double?
    /// For a step of a focus bracket: 0 nearest, 1 furthest.
    public var lensPosition: Double?
    /// For a step of a white balance bracket.
    public var whiteBalance: WhiteBalance?

    /// What a step of a bracket became.
    public init(sequenceCount: Int, exposureTargetBias: Double?, duration: ExposureDuration?, iso: Double?) {
        self.sequenceCount = sequenceCount
        self.exposureTargetBias = exposureTargetBias
        self.duration = duration
        self.iso = iso
    }
}
