import CaptureModel
import RigRules
import Testing

@Suite("The clock by which is thrown away")
struct RetentionClockTests {
    private static let day = Int64.seconds(86_400)
    private static let now: UTCTime = 1_795_000_000_000_000

    /// A coordinator that looks once an hour.
    private struct Watch {
        var clock = RetentionClock(RetentionState(lookedAt: now))
        var utc = now
        var elapsed = Int64.seconds(100)

        mutating func look() { clock.look(utc, elapsed: elapsed) }

        mutating func pass(hours: Int64, jump: Int64 = 0) {
            utc = utc + jump
            for _ in 0..<hours {
                (utc, elapsed) = (utc + .seconds(3600), elapsed + .seconds(3600))
                look()
            }
        }

        mutating func restart(off span: Int64) {
            (clock, utc) = (RetentionClock(clock.state), utc + span)
            elapsed = .seconds(50)
            look()
        }
    }

    private func running() -> Watch {
        var watch = Watch()
        watch.look()
        return watch
    }

    @Test(
        "is not believed after a jump until it has stood for three days",
        arguments: [400 * day, -400 * day, .seconds(1800)])
    func jumps(by jump: Int64) {
        var watch = running()
        watch.pass(hours: 48)
        #expect(watch.clock.isTrusted)
        watch.pass(hours: 71, jump: jump)
        #expect(!watch.clock.isTrusted && watch.clock.emptiedUntil(age: 30 * Self.day) == nil)
        watch.pass(hours: 2)
        #expect(watch.clock.isTrusted)
        // What was deleted before the jump ages anew: nothing is deleted and removed by one.
        #expect(watch.clock.emptiedUntil(age: 30 * Self.day) == nil)
        watch.pass(hours: 28 * 24)
        #expect(watch.clock.emptiedUntil(age: 30 * Self.day) == watch.utc - 30 * Self.day)
    }

    @Test("is believed again as soon as it is back, and is not by a jump within a jump")
    func back() {
        var watch = running()
        watch.pass(hours: 1, jump: 400 * Self.day)
        #expect(!watch.clock.isTrusted)
        watch.pass(hours: 1, jump: -400 * Self.day)
        #expect(watch.clock.isTrusted)
        watch.pass(hours: 60, jump: 400 * Self.day)
        watch.pass(hours: 60, jump: 30 * Self.day)
        #expect(!watch.clock.isTrusted, "the second time has stood for two and a half days")
    }

    @Test("is believed at once where somebody says that it is right")
    func agreed() {
        var watch = running()
        watch.pass(hours: 2, jump: 400 * Self.day)
        watch.clock.agree()
        #expect(watch.clock.isTrusted && watch.clock.emptiedUntil(age: Self.day) == nil)
    }

    @Test("is doubted at a start that is days after the last look, or before it, also in the middle of a doubt")
    func starts() {
        for (off, isTrusted) in [(Self.day, true), (2 * Self.day, true), (4 * Self.day, false), (-Self.day, false)] {
            var watch = running()
            watch.restart(off: off)
            #expect(watch.clock.isTrusted == isTrusted, "\(off)")
        }
        var watch = running()
        watch.pass(hours: 36, jump: 400 * Self.day)
        watch.restart(off: .seconds(60))
        #expect(!watch.clock.isTrusted)
        watch.pass(hours: 35)
        #expect(!watch.clock.isTrusted)
        watch.pass(hours: 3)
        #expect(watch.clock.isTrusted)
    }

    @Test("follows a sleep, drift and the small steps of NTP")
    func small() {
        var watch = running()
        watch.pass(hours: 3, jump: .seconds(200))
        #expect(watch.clock.isTrusted)
        // CLOCK_BOOTTIME goes on while a machine sleeps.
        (watch.utc, watch.elapsed) = (watch.utc + 20 * Self.day, watch.elapsed + 20 * Self.day)
        watch.look()
        #expect(watch.clock.isTrusted)
    }

    @Test("lets a tenth of the library go in a day, ten captures at least")
    func share() {
        var watch = running()
        #expect(watch.clock.allowance(emptying: false, of: 1000) == 100)
        #expect(watch.clock.allowance(emptying: true, of: 5) == 10)
        watch.clock.count(100, emptying: false)
        #expect(watch.clock.allowance(emptying: false, of: 1000) == 0)
        #expect(watch.clock.allowance(emptying: true, of: 1000) == 100)
        watch.pass(hours: 25)
        #expect(watch.clock.allowance(emptying: false, of: 1000) == 100)
    }
}
