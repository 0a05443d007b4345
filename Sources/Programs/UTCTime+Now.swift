package import CaptureModel
import Posix

extension UTCTime {
    /// By this machine's clock.
    package static var now: UTCTime { UTCTime(rawValue: Clocks.microsecondsSinceEpoch()) }
}
