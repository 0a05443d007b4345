import CaptureModel
import RigRules
import Testing

@Suite("Operators' questions")
struct QuestionQueueTests {
    @Test("are answered three at a time, in order")
    func order() {
        var queue = QuestionQueue<Int>()
        for number in 1...5 { #expect(queue.add(number, of: "anna") == .waits) }
        #expect((0..<4).map { _ in queue.next()?.question } == [1, 2, 3, nil])
        queue.answered("anna")
        #expect(queue.next()?.question == 4)
    }

    @Test("of one who asks a lot wait behind those of others")
    func fair() {
        var queue = QuestionQueue<Int>()
        for number in 1...16 { #expect(queue.add(number, of: "anna") == .waits) }
        #expect(queue.add(17, of: "anna") != .waits)
        _ = (queue.next(), queue.next(), queue.next())
        #expect(queue.add(100, of: "ben") == .waits)
        queue.answered("anna")
        #expect(queue.next()?.question == 100)
    }

    @Test("are refused where too many wait, whoever asks")
    func full() throws {
        var queue = QuestionQueue<Int>()
        for number in 0..<64 { #expect(queue.add(number, of: try #require(NodeName("operator-\(number)"))) == .waits) }
        #expect(queue.add(64, of: "another-one") != .waits)
    }
}
