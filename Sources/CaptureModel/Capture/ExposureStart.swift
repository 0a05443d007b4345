/// The instant at which an exposure began, for its first line.
public struct ExposureStart: Hashable, Sendable, Codable {
    /// The middle of the interval in which it may lie.
    public let time: MonotonicTime
    /// Half the width of the interval that is certain to hold it, in nanoseconds, before any clock conversion.
    public let uncertaintyNanoseconds: Int64
    /// Which instant the driver's timestamp marked.
    public let source: TimestampSource
    /// How much later the last line began, in nanoseconds; nil where the camera does not say.
    public let readoutNanoseconds: Int64?
    /// What was added to the driver's timestamp to correct a measured offset of the camera, in nanoseconds; nil where
    /// none was measured.
    public var correctionNanoseconds: Int64?
    /// Relative to other cameras; nil where no lamp has shown it.
    public var relative: RelativeUncertainty?

    /// A start and how well it is known.
    public init(
        time: MonotonicTime, uncertaintyNanoseconds: Int64, source: TimestampSource, readoutNanoseconds: Int64? = nil
    ) {
        self.time = time
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.source = source
        self.readoutNanoseconds = readoutNanoseconds
    }
}
