import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Testing

@Suite("The stream aligner")
struct StreamAlignerTests {
    private let grid = LocalGrid(origin: MonotonicTime(nanoseconds: 77), period: 33_333_333)

    /// Runs a camera for this many seconds; how often its stream was begun anew, and how late its frames then begin.
    private func run(
        seconds: Int64, lag: Int64, jitter: Int64, drift: Double, phase: Int64 = 9_000_000
    ) -> (starts: Int, error: Double) {
        var aligner = StreamAligner()
        var random = SplitMix64(state: 3)
        var (began, starts) = (MonotonicTime(nanoseconds: phase), 0)
        var error = 0.0
        for second in 1...seconds {
            let now = MonotonicTime(nanoseconds: .seconds(second))
            let drifted = Double(now - began) * drift
            error = grid.wrapped(grid.phase(of: began) + drifted)
            guard let time = aligner.restart(error: error, grid, now: now) else { continue }
            #expect(time - now >= .milliseconds(300) && time - now < .milliseconds(400))
            began = time + lag + Int64.random(in: -jitter...jitter, using: &random)
            starts += 1
        }
        return (starts, error)
    }

    @Test(
        "has the frames on the grid after two starts, whatever the driver's lag",
        arguments: [0, 7_000_000, 51_234_567, 480_000_000])
    func aligns(lag: Int64) {
        let (starts, error) = run(seconds: 60, lag: lag, jitter: 200_000, drift: 0)
        #expect(starts <= 2 && abs(error) < 33_333_333 / 16)
    }

    @Test("begins anew when a crystal has drifted too far, and not before")
    func drift() {
        // 20 ppm take 104 s for a sixteenth of a frame.
        let (starts, error) = run(seconds: 1_000, lag: 12_345_678, jitter: 100_000, drift: 20e-6)
        #expect((8...13).contains(starts) && abs(error) < 33_333_333 / 12)
    }

    @Test("leaves a camera alone whose starts are a matter of chance")
    func hopeless() {
        #expect(run(seconds: 500, lag: 0, jitter: 16_000_000, drift: 0).starts <= 12)
    }
}
