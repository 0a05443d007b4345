package import CaptureModel

/// Decides whether to believe what a camera's own clock says about its frames; pure.
///
/// A stamp is possible if it precedes its frame's arrival by no more than a camera can take, and follows the stamp
/// before it by the frames between them, give or take what their exposures differ by: one that is made up for each
/// frame does not. It is believed once the stamps of the ten frames before it were possible too.
package struct StampTrial: Sendable {
    /// The number of frames in a row that must have had a possible stamp.
    private static let length = 10
    /// A frame arrives at most this many frames after its stamp, plus this many nanoseconds.
    private static let (mostFrames, mostBeside): (Int64, Int64) = (5, 40_000_000)

    private let frameDuration: Int64
    private var last: (sequence: UInt32, time: MonotonicTime)?
    private var passed = 0

    /// - Parameter frameDuration: from frame to frame, in nanoseconds.
    package init(frameDuration: Int64) {
        self.frameDuration = frameDuration
    }

    /// A frame has arrived, and its stamp was read.
    ///
    /// - Parameter longestExposure: the longest among the frames that may come now, in nanoseconds.
    /// - Returns: whether the stamp is believed.
    package mutating func frame(
        _ sequence: UInt32, _ reading: DeviceClock.Reading, arrival: MonotonicTime, longestExposure: Int64
    ) -> Bool {
        let longest = max(frameDuration, longestExposure)
        let possible = -reading.uncertaintyNanoseconds...Self.mostFrames * longest + Self.mostBeside
        let isPossible =
            possible.contains(arrival - reading.time) && isEven(sequence, reading, longestExposure)
        last = (sequence, reading.time)
        passed = isPossible ? passed + 1 : 0
        return passed > Self.length
    }

    private func isEven(_ sequence: UInt32, _ reading: DeviceClock.Reading, _ longestExposure: Int64) -> Bool {
        guard let last else { return false }
        let frames = Int64(Int32(bitPattern: sequence &- last.sequence))
        let play = longestExposure + 2 * reading.uncertaintyNanoseconds
        let (least, most) = (frames * frameDuration - play, frames * max(frameDuration, longestExposure) + play)
        return frames > 0 && (least...most).contains(reading.time - last.time)
    }
}
