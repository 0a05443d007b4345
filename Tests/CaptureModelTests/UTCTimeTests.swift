import CaptureModel
import Testing

@Suite("An instant in UTC")
struct UTCTimeTests {
    @Test(
        "has a day and a time of day, before 1970 too",
        arguments: [
            (0, "1970-01-01", "00:00:00", 0), (1_795_217_821_000_042, "2026-11-20", "23:37:01", 42),
            (-1, "1969-12-31", "23:59:59", 999_999),
        ] as [(Int64, String, String, Int64)])
    func day(microseconds: Int64, day: String, time: String, rest: Int64) {
        let instant = UTCTime(rawValue: microseconds)
        #expect("\(instant.day)" == day && instant.timeOfDay == time && instant.subSecond == rest)
    }

    @Test("is as many nanoseconds from another as there can be, where they are centuries apart")
    func apart() {
        let now: UTCTime = 1_800_000_000_000_000
        #expect(now + .seconds(1) - now == .seconds(1) && now - .seconds(1) - now == -.seconds(1))
        #expect(UTCTime(rawValue: 13_600_000_000_000_000) - now == .max)
        #expect(now - UTCTime(rawValue: .max) == .min && UTCTime(rawValue: .max) - UTCTime(rawValue: .min) == .max)
    }
}
