/// What one lamp in view of several cameras showed about when one of them begins its exposures, relative to the others.
public struct LampMeasurement: Hashable, Sendable, Codable {
    /// The capture in which they saw it: starts are known relative to those of the cameras in that capture.
    public var capture: UniqueID
    /// How far a start can lie from the reported one, in nanoseconds, for an exposure as long as the capture's.
    public var uncertaintyNanoseconds: Int64
    /// How well the starts of the reference camera are known on their own, in nanoseconds.
    public var referenceUncertaintyNanoseconds: Int64
    /// How long every frame of the capture was exposed.
    public var exposureDuration: ExposureDuration
    /// Where the measured starts came from: the result holds for starts from that source alone.
    public var source: TimestampSource

    /// What a capture showed about one camera.
    public init(
        capture: UniqueID, uncertaintyNanoseconds: Int64, referenceUncertaintyNanoseconds: Int64,
        exposureDuration: ExposureDuration, source: TimestampSource
    ) {
        self.capture = capture
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.referenceUncertaintyNanoseconds = referenceUncertaintyNanoseconds
        self.exposureDuration = exposureDuration
        self.source = source
    }

    /// Reads a measurement; one without a source is from a version that knew only drivers' timestamps.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        capture = try values.decode(UniqueID.self, forKey: .capture)
        uncertaintyNanoseconds = try values.decode(Int64.self, forKey: .uncertaintyNanoseconds)
        referenceUncertaintyNanoseconds = try values.decode(Int64.self, forKey: .referenceUncertaintyNanoseconds)
        exposureDuration = try values.decode(ExposureDuration.self, forKey: .exposureDuration)
        source = try values.decodeIfPresent(TimestampSource.self, forKey: .source) ?? .arrival
    }

    /// Whether the numbers can be genuine.
    package var isPlausible: Bool {
        [uncertaintyNanoseconds, referenceUncertaintyNanoseconds].allSatisfy { (0..<Int64.seconds(60)).contains($0) }
            && (1...Int64.seconds(60)).contains(exposureDuration.nanoseconds)
    }
}

extension ExposureStart {
    /// How well the start is known on a clock that is itself known to within a bound, in nanoseconds.
    package func known(within bound: Int64) -> StartUncertainty {
        StartUncertainty(
            nanoseconds: uncertaintyNanoseconds + bound,
            relative: relative.map { RelativeUncertainty(lamp: $0.lamp, nanoseconds: $0.nanoseconds + bound) })
    }
}

extension PhotoRecord {
    /// Tells the start in a rig time that is known to within `bound` nanoseconds.
    package mutating func tellStart(_ start: ExposureStart, _ rigTime: RigTime, within bound: Int64) {
        let known = start.known(within: bound)
        exposureStartRigTime = rigTime
        exposureStartUncertaintyNanoseconds = known.nanoseconds
        exposureStartSource = start.source
        exposureStartRelative = known.relative
    }

    /// Whether the start is told already, and may be the same instant as one that is known to within `bound` nanoseconds.
    package func isStartTold(near rigTime: RigTime, within bound: Int64) -> Bool {
        guard let told = exposureStartRigTime, let known = exposureStartUncertaintyNanoseconds else { return false }
        return abs(told - rigTime) <= known + bound
    }

    /// Leaves the start untold in any rig time.
    package mutating func withdrawStart() {
        exposureStartRigTime = nil
        exposureStartUncertaintyNanoseconds = nil
        exposureStartSource = nil
        exposureStartRelative = nil
    }

    /// How well the start is known in rig time; nil where it is not.
    package var exposureStartKnown: StartUncertainty? {
        exposureStartUncertaintyNanoseconds.map {
            StartUncertainty(nanoseconds: $0, relative: exposureStartRelative)
        }
    }
}
