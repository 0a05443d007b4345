import CaptureModel
import RigProtocol
import Testing

@testable import RigAttention

@Suite("Alarms")
struct AlarmBookTests {
    /// A book that is looked at every five seconds.
    private struct Watch {
        var book = AlarmBook()
        var second: Int64 = 0

        var now: UTCTime { UTCTime(rawValue: 1_800_000_000_000_000 + second * 1_000_000) }

        mutating func look(_ outlook: Outlook, times: Int = 1) {
            for _ in 0..<times {
                second += 5
                book.observe(outlook, at: now)
            }
        }

        /// The captures of each alarm.
        var captures: [[Int64]] { book.alarms.map { book.captures(of: $0).map(\.rawValue) } }

        mutating func see(_ alarms: [Alarm]) -> Int { book.see(Set(alarms.map(\.number))) }

        mutating func tell(_ id: Int64, _ state: CaptureState, _ reason: String = "north was lost.") {
            second += 5
            let notice = CaptureNotice(
                number: now.rawValue, previous: 0, uniqueID: UniqueID(rawValue: id), state: state,
                reason: reason, storedPhotoCount: 1, expectedPhotoCount: 2)
            book.observe([.capture(notice)], upTo: now.rawValue)
        }
    }

    private func node(_ state: NodeSummary.State) -> NodeSummary {
        NodeSummary(
            name: "north", state: state, capabilities: nil, clock: nil, lastSeen: nil, problem: nil, software: "1")
    }

    private func outlook(
        _ state: NodeSummary.State = .ready, celsius: Double? = 40, problems: Int = 0, checked: Int64 = 1
    ) -> Outlook {
        var status = StatusReply(eventsPort: 1, library: "/library", news: 0, software: "1")
        status.verdict = LibraryVerdict(
            checkedAt: UTCTime(rawValue: checked), captureCount: 1, expectedPhotoCount: 1, storedPhotoCount: 1,
            lostPhotoCount: 0, problemCount: problems, problems: [])
        var heat = MetricFamily.gauge("volley_node_temperature_celsius", "")
        if let celsius { heat.add(celsius, ["node": "north"]) }
        return Outlook(status, [node(state)], [heat])
    }

    @Test("come of what lasts, once")
    func patience() {
        var watch = Watch()
        watch.look(outlook(.unreachable), times: 2)
        watch.look(outlook())
        watch.look(outlook(.unreachable), times: 2)
        #expect(watch.book.alarms.isEmpty, "what has passed begins anew")
        watch.look(outlook(.unreachable), times: 3)
        #expect(watch.book.alarms.map(\.words) == ["Node north is unreachable."])
        #expect(watch.book.alarms.map(\.since) == [UTCTime(rawValue: watch.now.rawValue - 20_000_000)])
        #expect(watch.book.unseenCount == 1)
    }

    @Test("stay until they are seen, and no longer than they last")
    func seen() {
        var watch = Watch()
        watch.look(outlook(.unreachable, celsius: 90), times: 3)
        #expect(Set(watch.book.alarms.map(\.cause)) == [.nodeNotReady, .boardHot])
        watch.look(outlook(celsius: 90), times: 3)
        let passed = watch.book.alarms.filter { $0.cause == .nodeNotReady }
        #expect(passed.map(\.until) == [UTCTime(rawValue: watch.now.rawValue - 10_000_000)])
        let seen = watch.see(passed)
        #expect(seen == 1 && watch.book.alarms.map(\.cause) == [.boardHot])
        let lasting = watch.see(watch.book.alarms)
        #expect(lasting == 1 && watch.book.unseenCount == 0 && watch.book.alarms.count == 1)
        watch.look(outlook(celsius: 90), times: 9)
        #expect(watch.book.unseenCount == 0 && watch.book.alarms.count == 1, "it is the same")
        watch.look(outlook(), times: 3)
        #expect(watch.book.alarms.isEmpty)
    }

    @Test("that come back are one, and not seen by who saw them before")
    func returning() {
        var watch = Watch()
        watch.look(outlook(.unreachable), times: 3)
        let first = watch.book.alarms
        watch.look(outlook(), times: 3)
        watch.look(outlook(.unreachable), times: 3)
        #expect(watch.book.alarms.map(\.count) == [2] && watch.book.alarms.map(\.until) == [nil])
        #expect(watch.book.alarms[0].since == first[0].since && watch.book.alarms[0].last > first[0].since)
        let old = watch.see(first)
        #expect(old == 0 && watch.book.unseenCount == 1)
    }

    @Test("of what wavers are one")
    func wavering() {
        var watch = Watch()
        watch.look(outlook(celsius: 81), times: 3)
        for _ in 0..<20 {
            watch.look(outlook(celsius: 79), times: 2)
            watch.look(outlook(celsius: 81))
        }
        #expect(watch.book.alarms.map(\.count) == [1] && watch.book.alarms.map(\.until) == [nil])
    }

    @Test("do not pass where nobody knows, and not where the coordinator is away, which is one itself")
    func unknown() {
        var watch = Watch()
        watch.look(outlook(celsius: 90, problems: 1), times: 3)
        watch.look(outlook(.unreachable, celsius: nil, problems: 1), times: 9)
        #expect(watch.book.alarms.filter { $0.cause == .boardHot }.map(\.until) == [nil])
        watch.look(Outlook(unknown: "It does not answer."), times: 3)
        #expect(
            Set(watch.book.alarms.map(\.cause)) == [.boardHot, .libraryDamaged, .nodeNotReady, .coordinatorAway])
        #expect(watch.book.alarms.allSatisfy { $0.until == nil })
        watch.look(outlook(celsius: 90, problems: 1), times: 3)
        #expect(Set(watch.book.alarms.filter { $0.until != nil }.map(\.cause)) == [.nodeNotReady, .coordinatorAway])
    }

    @Test("are others where a node has another trouble, or another check found something")
    func occasions() {
        var watch = Watch()
        watch.look(outlook(.unreachable, problems: 1), times: 3)
        _ = watch.see(watch.book.alarms)
        watch.look(outlook(.unreachable, problems: 1), times: 3)
        #expect(watch.book.unseenCount == 0)
        watch.look(outlook(.cameraMissing, problems: 1))
        #expect(watch.book.unseenCount == 1)
        watch.look(outlook(.cameraMissing, problems: 1, checked: 2))
        #expect(watch.book.unseenCount == 2 && watch.book.alarms.count == 2)
    }

    @Test("of captures that lack something are one, of the last of them")
    func captures() {
        var watch = Watch()
        watch.tell(1, .firing)
        watch.tell(1, .complete)
        #expect(watch.book.alarms.isEmpty && watch.book.newsNumber == watch.now.rawValue)
        watch.tell(3, .failed)
        let first = watch.book.alarms
        #expect(first.map(\.since) == [watch.now], "when it failed, and not when it was read")
        watch.tell(4, .failed)
        #expect(watch.book.alarms.map(\.words) == ["Capture 4 failed: north was lost."])
        #expect(watch.book.alarms.map(\.count) == [2])
        let early = watch.see(first)
        #expect(early == 0, "the second was not seen")
        // Each photo that comes late is told of with the state that its capture has.
        watch.tell(4, .failed)
        watch.look(outlook(), times: 3)
        #expect(watch.book.alarms.map(\.count) == [2])
        let both = watch.see(watch.book.alarms)
        #expect(both == 1 && watch.book.alarms.isEmpty)
        watch.tell(4, .failed)
        #expect(watch.book.alarms.isEmpty, "it was seen")
    }

    @Test("of captures are one for each reason, and name all of them until they are seen")
    func reasons() {
        var watch = Watch()
        watch.tell(3, .partial)
        watch.tell(4, .partial, "south was late.")
        watch.tell(5, .partial)
        #expect(
            watch.book.alarms.map(\.words) == [
                "Capture 4 is partial: south was late.", "Capture 5 is partial: north was lost.",
            ])
        #expect(watch.captures == [[4], [5, 3]])
        watch.tell(5, .complete)
        #expect(watch.captures == [[4], [3]])
        let last = watch.see([watch.book.alarms[1]])
        #expect(last == 1 && watch.captures == [[4]])
        watch.tell(6, .partial)
        #expect(watch.captures == [[4], [6]], "what was seen does not come back")
    }

    @Test("of captures whose nodes others had are one, whichever those were")
    func busy() {
        var watch = Watch()
        for (id, other) in [(3, 1_795_861_720_841_950), (4, 1_795_861_709_692_951)] {
            watch.tell(Int64(id), .partial, "north is busy with capture \(other).")
        }
        #expect(watch.captures == [[4, 3]])
    }

    @Test("of a capture of which photos come late is one, and gone once it is complete")
    func lateInParts() {
        var watch = Watch()
        watch.tell(3, .failed)
        watch.tell(3, .partial)
        #expect(watch.book.alarms.map(\.words) == ["Capture 3 is partial: north was lost."])
        watch.tell(3, .complete)
        #expect(watch.book.alarms.isEmpty)
    }

    @Test("of captures are not more than a person looks through")
    func manyReasons() {
        var watch = Watch()
        for number in 1...(AlarmBook.mostReasons + 3) { watch.tell(Int64(number), .failed, "\(number)") }
        #expect(watch.book.alarms.count == AlarmBook.mostReasons + 1)
        #expect(watch.captures.last == [53, 52, 51])
    }

    @Test("of captures are gone where what came late made them whole")
    func late() {
        var watch = Watch()
        watch.tell(3, .partial)
        watch.tell(4, .partial)
        watch.tell(4, .complete)
        #expect(watch.book.alarms.map(\.words) == ["Capture 3 is partial: north was lost."])
        watch.tell(3, .complete)
        #expect(watch.book.alarms.isEmpty)
    }
}
