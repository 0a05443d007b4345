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
    /// What told the starts that it was measured against: it holds for those alone.
    public var source: TimestampSource

    /// What a capture showed of one camera.
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

    /// Reads it; one that does not say what it was measured against is of a version that knew drivers' stamps alone.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        capture = try values.decode(UniqueID.self, forKey: .capture)
        uncertaintyNanoseconds = try values.decode(Int64.self, forKey: .uncertaintyNanoseconds)
        referenceUncertaintyNanoseconds = try values.decode(Int64.self, forKey: .referenceUncertaintyNanoseconds)
        exposureDuration = try values.decode(ExposureDuration.self, forKey: .exposureDuration)
        source = try values.decodeIfPresent(TimestampSource.self, forKey: .source) ?? .arrival
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

/// How well a start is known, by itself and against other cameras.
package struct StartUncertainty: Hashable, Sendable, Codable {
    /// By itself, in nanoseconds.
    package var nanoseconds: Int64
    /// Against others; nil where no lamp has shown it.
    package var relative: RelativeUncertainty?

    package init(nanoseconds: Int64, relative: RelativeUncertainty?) {
        self.nanoseconds = nanoseconds
        self.relative = relative
    }

    /// The better of the two, in nanoseconds.
    package var best: Int64 { min(nanoseconds, relative?.nanoseconds ?? .max) }

    /// Whether the numbers can be meant.
    package var isPlausible: Bool {
        let range = 0...Int64.seconds(1_000_000)
        return range.contains(nanoseconds) && range.contains(relative?.nanoseconds ?? 0)
    }

    /// How well it is known how far apart some begin, in nanoseconds: as each is by itself, or better by one lamp that
    /// all of them saw.
    package static func ofSpread(_ starts: [StartUncertainty]) -> Int64 {
        let byThemselves = starts.map(\.nanoseconds).max() ?? 0
        let lit = starts.compactMap(\.relative)
        guard lit.count == starts.count, Set(lit.map(\.lamp)).count == 1 else { return 2 * byThemselves }
        return 2 * min(byThemselves, lit.map(\.nanoseconds).max() ?? 0)
    }
}

extension ExposureStart {
    /// How well the start is known on a clock that is known to a bound, in nanoseconds.
    package func known(within bound: Int64) -> StartUncertainty {
        StartUncertainty(
            nanoseconds: uncertaintyNanoseconds + bound,
            relative: relative.map { RelativeUncertainty(lamp: $0.lamp, nanoseconds: $0.nanoseconds + bound) })
    }
}

extension PhotoRecord {
    /// How well the start is known in rig time; nil where it is not.
    package var exposureStartKnown: StartUncertainty? {
        exposureStartUncertaintyNanoseconds.map {
            StartUncertainty(nanoseconds: $0, relative: exposureStartRelative)
        }
    }
}
