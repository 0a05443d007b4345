import Testing

@testable import V4L2Camera

@Suite("A sensor that counts in lines")
struct LineTimingTests {
    /// An imx219 at 1640 by 1232: 182.4 million pixels a second, 3448 pixels a line, 30 frames at 1763 lines.
    private let timing = LineTiming(
        pixelRate: 182_400_000, horizontalBlanking: 1_808, width: 1_640, height: 1_232, blanking: 32...64_303)

    @Test("has frames and exposures in time, to the line")
    func durations() throws {
        let timing = try #require(timing)
        #expect(abs(timing.line - 18_903.5) < 1)
        #expect(timing.blanking(frameDuration: 33_327_000) == 531)
        #expect(abs(timing.duration(lines: 1_763) - 33_326_900) < 1_000)
        #expect(timing.lines(timing.duration(lines: 777)) == 777)
        #expect(timing.frameDurations.lowerBound == timing.duration(lines: 1_264))
    }

    @Test("makes a frame long enough for its exposure, and no longer than the driver lets it")
    func room() throws {
        let timing = try #require(timing)
        #expect(timing.blanking(exposureLines: 100) == 32)
        #expect(timing.blanking(exposureLines: 2_000) == 816)
        #expect(timing.blanking(exposureLines: 1_000_000) == 64_303)
    }

    @Test("is not made of numbers that no sensor has")
    func implausible() {
        for (rate, blank, width) in [(0, 8, 640), (1_000_000, -1, 640), (1_000_000, 8, 0)] as [(Int64, Int64, Int)] {
            #expect(
                LineTiming(pixelRate: rate, horizontalBlanking: blank, width: width, height: 480, blanking: 0...10)
                    == nil)
        }
    }
}
