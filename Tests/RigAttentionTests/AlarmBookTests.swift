import CaptureModel
import RigProtocol
import Testing

@testable import RigAttention

@Suite("Alarms")
struct AlarmBookTests {
    private static let north = Concern(.nodeNotReady, "north", words: "Node north is unreachable.")
    private static let hot = Concern(.boardHot, "north", words: "The board is too hot: north.")

    private func at(_ second: Int64) -> UTCTime { UTCTime(rawValue: second * 1_000_000) }

    @Test("come of what lasts, once")
    func patience() {
        var book = AlarmBook()
        book.observe([Self.north], at: at(0))
        book.observe([Self.north], at: at(9))
        #expect(book.alarms.isEmpty)
        book.observe([], at: at(9))
        book.observe([Self.north], at: at(10))
        #expect(book.alarms.isEmpty, "what has passed begins anew")
        book.observe([Self.north], at: at(20))
        book.observe([Self.north], at: at(30))
        #expect(book.alarms.map(\.words) == [Self.north.words])
        #expect(book.alarms.map(\.since) == [at(10)] && book.unseenCount == 1)
    }

    @Test("stay until they are seen, and no longer than they last")
    func seen() {
        var book = AlarmBook()
        for second in [0, 10] { book.observe([Self.north, Self.hot], at: at(Int64(second))) }
        book.observe([Self.hot], at: at(12))
        #expect(book.alarms.map(\.until) == [at(12), nil])
        let passed = book.see([1])
        #expect(passed == 1 && book.alarms.map(\.cause) == [.boardHot])
        let lasting = book.see([2])
        #expect(lasting == 1 && book.unseenCount == 0 && book.alarms.count == 1)
        book.observe([Self.hot], at: at(20))
        #expect(book.unseenCount == 0, "it is the same")
        book.observe([], at: at(30))
        #expect(book.alarms.isEmpty)
        let gone = book.see([2])
        #expect(gone == 0)
    }

    @Test("that come back are one, and not seen by who saw them before")
    func returning() {
        var book = AlarmBook()
        for second in [0, 10] { book.observe([Self.north], at: at(Int64(second))) }
        book.observe([], at: at(20))
        for second in [30, 40] { book.observe([Self.north], at: at(Int64(second))) }
        #expect(book.alarms.map(\.count) == [2] && book.alarms.map(\.number) == [2])
        #expect(book.alarms.map(\.until) == [nil] && book.alarms.map(\.since) == [at(0)])
        let old = book.see([1])
        #expect(old == 0 && book.unseenCount == 1)
    }

    @Test("are as they were where the coordinator is away, which is one itself")
    func away() {
        var book = AlarmBook()
        for second in [0, 10] { book.observe([Self.north], at: at(Int64(second))) }
        for second in [20, 30] { book.observe(nil, at: at(Int64(second))) }
        #expect(book.alarms.map(\.cause) == [.nodeNotReady, .coordinatorAway])
        #expect(book.alarms.map(\.until) == [nil, nil])
        book.observe([Self.north], at: at(40))
        #expect(book.alarms.map(\.until) == [nil, at(40)])
    }

    @Test("of captures that lack something are one, of the last of them")
    func captures() {
        var book = AlarmBook()
        func news(_ number: Int64, _ state: CaptureState) -> Notice {
            .capture(
                CaptureNotice(
                    number: number, previous: number - 1, uniqueID: UniqueID(rawValue: number), state: state,
                    reason: "north was lost.", storedPhotoCount: 1, expectedPhotoCount: 2))
        }
        book.observe([news(1, .firing), news(2, .complete)], upTo: 2, at: at(0))
        #expect(book.alarms.isEmpty && book.newsNumber == 2)
        book.observe([news(3, .partial)], upTo: 3, at: at(1))
        let first = book.alarms.map(\.number)
        book.observe([news(4, .failed)], upTo: 4, at: at(2))
        #expect(book.alarms.map(\.words) == ["Capture 4 is failed: north was lost."])
        #expect(book.alarms.map(\.count) == [2] && book.alarms.map(\.since) == [at(1)])
        let early = book.see(Set(first))
        #expect(early == 0, "the second was not seen")
        book.observe([], at: at(3))
        let both = book.see(Set(book.alarms.map(\.number)))
        #expect(both == 1 && book.alarms.isEmpty)
    }

    @Test("of another check of the library are others")
    func verdict() {
        var book = AlarmBook()
        let (one, two) = (Concern(.libraryDamaged, words: "1 problem"), Concern(.libraryDamaged, words: "2 problems"))
        for second in [0, 10] { book.observe([one], at: at(Int64(second))) }
        _ = book.see([1])
        book.observe([one], at: at(20))
        #expect(book.unseenCount == 0)
        book.observe([two], at: at(30))
        #expect(book.unseenCount == 1 && book.alarms.map(\.words) == ["2 problems"])
    }
}
