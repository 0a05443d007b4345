package import CaptureModel

/// What a frame's stamp marks, with what is particular to this frame.
package enum FrameStamp: Hashable, Sendable {
    /// A driver that sees the exposure begin.
    case startOfExposure
    /// A driver that sees the frame's end.
    case endOfFrame
    /// The first bytes of the frame arrived.
    case arrival
    /// The camera's own clock, where somebody has said what it stamps.
    case deviceClock(DeviceStamp)

    /// Its name in a record.
    package var source: TimestampSource {
        switch self {
        case .startOfExposure: .startOfExposure
        case .endOfFrame: .endOfFrame
        case .arrival: .arrival
        case .deviceClock: .deviceClock
        }
    }
}
