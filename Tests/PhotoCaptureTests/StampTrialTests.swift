import CaptureModel
import PhotoCapture
import Testing

@Suite("What a camera's own clock says of a frame")
struct StampTrialTests {
    private static let frame: Int64 = 33_333_333

    /// Which of sixty frames are believed, where each was stamped this long after its turn.
    private func believed(
        exposure: Int64 = 5_000_000, arrivingAfter transport: Int64 = 40_000_000, _ late: (Int64) -> Int64
    ) -> [Int64] {
        var trial = StampTrial(frameDuration: Self.frame)
        return (0..<60).filter { number in
            let turn = number * Self.frame
            let reading = DeviceClock.Reading(
                time: MonotonicTime(nanoseconds: turn + late(number)), uncertaintyNanoseconds: 1_000_000)
            return trial.frame(
                UInt32(number), reading, arrival: MonotonicTime(nanoseconds: turn + transport),
                longestExposure: exposure)
        }
    }

    @Test("is believed when ten before it were possible")
    func trial() {
        #expect(believed { _ in 0 } == Array(11..<60))
    }

    @Test("is not believed where it lies after the arrival, or further before it than a camera can take")
    func impossible() {
        #expect(believed { _ in 45_000_000 }.isEmpty)
        #expect(believed { _ in -200_000_000 }.isEmpty)
    }

    @Test("is not believed where it does not follow the one before it at the frames' pace")
    func uneven() {
        #expect(believed { $0.isMultiple(of: 3) ? -30_000_000 : 0 }.isEmpty)
        #expect(believed(exposure: 30_000_000) { $0.isMultiple(of: 3) ? -30_000_000 : 0 } == Array(11..<60))
    }

    @Test("is on trial again after one that was impossible")
    func again() {
        #expect(believed { $0 == 30 ? 45_000_000 : 0 } == Array(11..<30) + Array(42..<60))
    }
}
