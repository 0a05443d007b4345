import CaptureModel
import Foundation
import RigConfiguration
import Testing

@Suite("A time as people type it")
struct TypedTimeTests {
    /// Saturday, 2026-11-21 15:30:00.5 in Berlin, an hour ahead of UTC.
    private let now: UTCTime = 1_795_271_400_500_000
    private let second: Int64 = 1_000_000

    private func read(_ text: String, _ direction: TypedTime.Direction = .past, zone: String = "Europe/Berlin")
        -> String?
    {
        guard let zone = TimeZone(identifier: zone),
            let time = try? TypedTime(now: now, zone: zone).instant(text, direction).time(now)
        else { return nil }
        let rest = time.subSecond == 0 ? "" : ".\(time.subSecond)"
        return "\(time.day) \(time.timeOfDay)\(rest)"
    }

    @Test(
        "means an instant, in the reader's zone where it names none",
        arguments: [
            ("now", "2026-11-21 14:30:00.500000"), ("today", "2026-11-20 23:00:00"),
            ("yesterday", "2026-11-19 23:00:00"), ("tomorrow", "2026-11-21 23:00:00"),
            ("yesterday 18:00", "2026-11-20 17:00:00"), ("1h", "2026-11-21 13:30:00.500000"),
            ("-1h", "2026-11-21 13:30:00.500000"), ("+10m", "2026-11-21 14:40:00.500000"),
            ("2d", "2026-11-19 14:30:00.500000"), ("1.5s", "2026-11-21 14:29:59"),
            ("2026-11-21", "2026-11-20 23:00:00"), ("2026-11-21T18:00", "2026-11-21 17:00:00"),
            ("2026-11-21 18:00:01.25", "2026-11-21 17:00:01.250000"), ("2026-11-21T18:00Z", "2026-11-21 18:00:00"),
            ("2026-11-21T18:00:00+05:30", "2026-11-21 12:30:00"), ("2026-11-21T18:00-0200", "2026-11-21 20:00:00"),
            ("2026-07-01T18:00", "2026-07-01 16:00:00"), (" 9:05 ", "2026-11-21 08:05:00"),
        ])
    func instants(text: String, time: String) { #expect(read(text) == time) }

    @Test("is on the last such day for what has passed, and on the next for what is to come")
    func direction() {
        #expect(read("18:00") == "2026-11-20 17:00:00")
        #expect(read("18:00", .future) == "2026-11-21 17:00:00")
        #expect(read("15:00", .future) == "2026-11-22 14:00:00")
        #expect(read("1h", .future) == "2026-11-21 15:30:00.500000")
        #expect(read("-1h", .future) == "2026-11-21 13:30:00.500000")
    }

    @Test(
        "that is no time is refused",
        arguments: [
            "", "soon", "24:00", "12:60", "2026-02-30", "2026-13-01", "2026-11-21T", "2026-11-21T18", "T18:00",
            "2026-11-21T18:00+25:00", "5", "5y", "1e9h", "--1h", "99999999w", "2026-11-21T18:00ZZ", "now now",
            // The clocks go forward over it.
            "2026-03-29T02:30",
        ])
    func refused(text: String) { #expect(read(text) == nil) }

    @Test("stays a span where it is one, whatever the clock shows")
    func spans() throws {
        #expect(try TypedTime(now: now).instant("+5s", .future) == .fromNow(.seconds(5)))
        #expect(try TypedTime(now: now).instant("10m", .past) == .fromNow(-.seconds(600)))
        #expect(try TypedTime(now: now).instant("now", .past) == .fromNow(0))
    }

    @Test("ends on the day that it is, or after the time of day at which it begins")
    func ends() {
        #expect(read("18:00", .end(after: nil)) == "2026-11-21 17:00:00")
        #expect(read("9:00", .end(after: nil)) == "2026-11-21 08:00:00")
        // Since yesterday's 18:00.
        #expect(read("20:00", .end(after: 1_795_194_000_000_000)) == "2026-11-20 19:00:00")
    }

    @Test("begins a day at its first instant where the clocks go forward over midnight")
    func midnight() throws {
        let cairo = try #require(TimeZone(identifier: "Africa/Cairo"))
        // 2027-04-30, of which the first instant is 01:00 EEST, 22:00 UTC on the day before.
        let (first, noon): (UTCTime, UTCTime) = (1809036000_000_000, 1809075600_000_000)
        let typed = TypedTime(now: noon, zone: cairo)
        #expect(try typed.instant("today", .past) == .at(first))
        #expect(try typed.instant("2027-04-30", .end(after: nil)) == .at(first))
    }

    @Test("says where the clocks go forward over it, and takes the next of two where they go back")
    func changesOfClocks() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        func instant(_ now: UTCTime, _ text: String, _ direction: TypedTime.Direction = .future) throws -> Instant {
            try TypedTime(now: now, zone: zone).instant(text, direction)
        }
        let eve: UTCTime = 1_806_184_800_000_000  // 2027-03-27 23:00 CET
        for text in ["02:30", "2027-03-28 02:30"] {
            #expect(throws: TypedTime.Problem.skipped("02:30 on 2027-03-28")) { try instant(eve, text) }
        }
        #expect(throws: TypedTime.Problem.unreadable) { try instant(eve, "2027-02-30 02:30") }
        #expect(try instant(eve, "03:30") == .at(1_806_197_400_000_000))
        // 2027-10-31: 02:30 CEST is 00:30 UTC, and 02:30 CET an hour later.
        let (first, second): (UTCTime, UTCTime) = (1_824_942_600_000_000, 1_824_946_200_000_000)
        #expect(try instant(first - .seconds(3000), "02:30") == .at(first))
        #expect(try instant(first + .seconds(600), "02:50") == .at(first + .seconds(1200)))
        #expect(try instant(first + .seconds(600), "02:30") == .at(second))
        #expect(try instant(first + .seconds(600), "02:30", .past) == .at(first))
        #expect(try instant(second + .seconds(600), "02:30", .past) == .at(second))
    }

    @Test("needs no zone to be the same everywhere")
    func zones() {
        #expect(read("2026-11-21T18:00Z", zone: "Asia/Tokyo") == "2026-11-21 18:00:00")
        #expect(read("today", zone: "GMT") == "2026-11-21 00:00:00")
    }
}
