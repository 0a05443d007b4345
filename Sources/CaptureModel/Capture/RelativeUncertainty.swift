/// How well a start is known relative to those of other cameras that saw the same lamp: possibly far better than on
/// its own.
public struct RelativeUncertainty: Hashable, Sendable, Codable {
    /// The capture in which they saw it.
    public let lamp: UniqueID
    /// Half the width of the interval that is certain to hold the start, in nanoseconds, before any clock conversion.
    public let nanoseconds: Int64

    /// An uncertainty relative to the cameras of that capture.
    public init(lamp: UniqueID, nanoseconds: Int64) {
        self.lamp = lamp
        self.nanoseconds = nanoseconds
    }
}
