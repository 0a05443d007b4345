import RigTransport
import Testing

@Suite("How far the news was heard")
struct NewsCursorTests {
    @Test("is kept by numbers, of which each says the one before it")
    func chain() {
        var cursor = NewsCursor(after: 10)
        #expect(cursor.take(9, previous: 8) == .isKnown)
        #expect(cursor.take(10, previous: 9) == .isKnown)
        #expect(cursor.take(15, previous: 10) == .isNext)
        #expect(cursor.take(15, previous: 10) == .isKnown)
        #expect(cursor.take(19, previous: 17) == .isBehindGap)
        #expect(cursor.last == 15, "what lies behind a gap is not had yet")
        cursor.advance(to: 19)
        #expect(cursor.take(19, previous: 17) == .isKnown)
        #expect(cursor.take(30, previous: 19) == .isNext)
        cursor.advance(to: 20)
        #expect(cursor.last == 30)
    }

    @Test("needs no number before the first that is wanted")
    func middle() {
        var cursor = NewsCursor(after: 1000)
        // Somebody asked for all since an instant, at which nothing happened.
        #expect(cursor.take(1007, previous: 990) == .isNext)
    }
}
