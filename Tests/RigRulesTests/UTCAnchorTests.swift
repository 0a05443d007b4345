import CaptureModel
import RigRules
import Testing

extension Rehearsal {
    fileprivate mutating func pass(seconds: Int64) {
        for _ in 0..<seconds {
            now = now + 1_000_000_000
            wallClock = wallClock + .seconds(1)
            take(.tick)
        }
    }
}

@Suite("The coordinator's clock")
struct UTCAnchorTests {
    @Test("is told to the catalogue once when it was set, and not when one reading of it was held up")
    func set() throws {
        var rehearsal = Rehearsal()
        var anchors: [CatalogueChange] {
            rehearsal.changes.filter { if case .anchored = $0 { true } else { false } }
        }
        rehearsal.pass(seconds: 5)
        // Held up by 80 ms, once.
        rehearsal.wallClock = rehearsal.wallClock + .milliseconds(80)
        rehearsal.pass(seconds: 1)
        rehearsal.wallClock = rehearsal.wallClock - .milliseconds(80)
        rehearsal.pass(seconds: 5)
        #expect(anchors.count == 1)
        rehearsal.wallClock = rehearsal.wallClock - .seconds(300 * 86_400)
        rehearsal.pass(seconds: 5)
        #expect(anchors.count == 2)
        guard case .anchored(let moment) = anchors.last else { return }
        #expect(
            moment.utc - rehearsal.wallClock == moment.rigTime - rehearsal.now)
    }

    @Test("goes on while rig time stands still: a sleep moves nothing that was before it")
    func slept() throws {
        var rehearsal = Rehearsal()
        rehearsal.pass(seconds: 5)
        let before = (rehearsal.now, rehearsal.wallClock)
        rehearsal.changes = []
        rehearsal.suspended = .seconds(3600)
        rehearsal.wallClock = rehearsal.wallClock + .seconds(3600)
        rehearsal.pass(seconds: 5)
        #expect(rehearsal.changes == [.slept(.init(rigTime: before.0, nanoseconds: .seconds(3600)))])
        // Set afterwards, it moves all of the run, and the sleep stays where it is.
        rehearsal.wallClock = rehearsal.wallClock + .seconds(60)
        rehearsal.pass(seconds: 5)
        guard case .anchored(let moment)? = rehearsal.changes.last else { throw CancellationError() }
        let timeline = UTCTimeline(
            anchor: moment,
            sleeps: rehearsal.changes.compactMap { if case .slept(let sleep) = $0 { sleep } else { nil } })
        #expect(timeline.utc(of: before.0) == before.1 + .seconds(60))
        #expect(timeline.utc(of: rehearsal.now) == rehearsal.wallClock)
    }
}
