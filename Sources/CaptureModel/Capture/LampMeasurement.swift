/// What one lamp in view of several cameras showed of when one of them begins its exposures, against the others.
public struct LampMeasurement: Hashable, Sendable, Codable {
    /// The capture in which they saw it: starts are known against those of the cameras that were in it.
    public var capture: UniqueID
    /// A start lies within this of what is told, in nanoseconds, for an exposure as long as that of the capture.
    public var uncertaintyNanoseconds: Int64
    /// How well the starts of the camera that all were measured against are known by themselves, in nanoseconds.
    public var referenceUncertaintyNanoseconds: Int64
    /// What all frames of the capture were exposed for.
    public var exposureDuration: ExposureDuration

    /// What a capture showed of one camera.
    public init(
        capture: UniqueID, uncertaintyNanoseconds: Int64, referenceUncertaintyNanoseconds: Int64,
        exposureDuration: ExposureDuration
    ) {
        self.capture = capture
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.referenceUncertaintyNanoseconds = referenceUncertaintyNanoseconds
        self.exposureDuration = exposureDuration
    }

    /// Whether the numbers can be meant.
    package var isPlausible: Bool {
        [uncertaintyNanoseconds, referenceUncertaintyNanoseconds].allSatisfy { (0..<Int64.seconds(60)).contains($0) }
            && (1...Int64.seconds(60)).contains(exposureDuration.nanoseconds)
    }
}

/// How well a start is known against those of other cameras that saw one lamp, which may be far better than by itself.
public struct RelativeUncertainty: Hashable, Sendable, Codable {
    /// The capture in which they saw it.
    public let lamp: UniqueID
    /// Half the width of the interval that surely holds the start, in nanoseconds, before any clock is converted.
    public let nanoseconds: Int64

    /// Against the cameras of that capture.
    public init(lamp: UniqueID, nanoseconds: Int64) {
        self.lamp = lamp
        self.nanoseconds = nanoseconds
    }
}
