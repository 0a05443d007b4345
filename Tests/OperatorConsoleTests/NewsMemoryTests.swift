import CaptureModel
import RigProtocol
import Testing

@testable import OperatorConsole

@Suite("What the console remembers of the news")
struct NewsMemoryTests {
    private func notice(_ number: Int64) -> Notice {
        .capture(
            CaptureNotice(
                number: number, previous: number - 1, uniqueID: UniqueID(rawValue: 1), state: .firing, reason: nil,
                storedPhotoCount: 0, expectedPhotoCount: 1))
    }

    @Test("is everything after a number, or nothing where some of it is forgotten")
    func capacity() {
        var memory = NewsMemory(capacity: 4)
        #expect(memory.news(after: 10) == nil, "nothing is known yet")
        memory.begin(after: 10)
        #expect(memory.news(after: 10) == [] && memory.news(after: 9) == nil)
        for number in 11...14 { memory.add(notice(Int64(number))) }
        #expect(memory.news(after: 10)?.map(\.number) == [11, 12, 13, 14])
        #expect(memory.news(after: 12)?.map(\.number) == [13, 14])
        memory.add(notice(15))
        #expect(memory.news(after: 11) == nil, "the older half is forgotten")
        #expect(memory.news(after: 12)?.map(\.number) == [13, 14, 15])
        #expect(memory.standing.newest == 15)
    }

    @Test("begins anew with a catalogue whose numbers do")
    func generations() {
        var memory = NewsMemory()
        memory.begin(after: 10)
        memory.add(notice(11))
        memory.begin(after: 20)
        #expect(memory.standing.generation == 0 && memory.news(after: 11) == nil)
        memory.begin(after: 5)
        #expect(memory.standing.generation == 1 && memory.standing.newest == 5)
        #expect(memory.news(after: 5) == [])
    }

    @Test("is shown without becoming markup, whatever stands beside it")
    func escaping() {
        let marked = EscapedHTML().escapeText("\u{0D4E}<b>\u{301} \"\u{301}'&")
        #expect(marked == "\u{0D4E}&lt;b&gt;\u{301} &quot;\u{301}&#39;&amp;")
    }
}
