import CaptureModel
import Testing

@testable import PhotoCapture

@Suite("A camera that could not be learned")
struct FailedLearningTests {
    private func failure(_ code: CaptureError.Code, after former: FailedLearning? = nil) -> FailedLearning {
        FailedLearning(CaptureError(code, "?"), brightness: 0.4, at: seconds(100), after: former)
    }

    private func seconds(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: .seconds(seconds)) }

    @Test("is tried again where the light is another")
    func light() {
        for failure in [failure(.calibrationFailed), failure(.exposureIgnored)] {
            #expect(!failure.isDue(brightness: 0.5, at: seconds(101)))
            for brightness in [0.2, 0.6] as [Float] { #expect(failure.isDue(brightness: brightness, at: seconds(101))) }
            #expect(!failure.isDue(brightness: nil, at: seconds(101)), "nobody knows")
        }
    }

    @Test("is tried again after longer and longer, unless it was seen to ignore its exposure")
    func time() {
        let first = failure(.calibrationFailed)
        #expect(!first.isDue(brightness: 0.4, at: seconds(159)) && first.isDue(brightness: 0.4, at: seconds(160)))
        let second = failure(.calibrationFailed, after: first)
        #expect(!second.isDue(brightness: 0.4, at: seconds(219)) && second.isDue(brightness: 0.4, at: seconds(220)))
        let tenth = (0..<8).reduce(second) { former, _ in failure(.calibrationFailed, after: former) }
        #expect(tenth.isDue(brightness: 0.4, at: seconds(3700)), "at least once an hour")
        #expect(!failure(.exposureIgnored).isDue(brightness: 0.4, at: seconds(100_000)))
    }
}
