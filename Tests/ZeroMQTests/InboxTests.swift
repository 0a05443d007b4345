import Testing

@testable import ZeroMQ

@Suite("What waits to be read")
struct InboxTests {
    private func message(_ text: String, byteCount: Int = 8) -> SocketChannel.Event {
        .message([Frame(Array(text.utf8)), Frame([UInt8](repeating: 0, count: byteCount))])
    }

    private func text(_ event: SocketChannel.Event?) -> String? {
        switch event {
        case .message(let frames)?: String(decoding: frames[0].bytes, as: UTF8.self)
        case .dropped(let user, let routingID)?: "dropped \(user) \(String(decoding: routingID.bytes, as: UTF8.self))"
        case .monitor?: "monitor"
        case nil: nil
        }
    }

    private func all(_ inbox: inout Inbox) -> [String] {
        var texts: [String] = []
        while let next = text(inbox.next()) { texts.append(next) }
        return texts
    }

    @Test("is read in order, and of several users in turn")
    func turns() {
        var inbox = Inbox(lane: Inbox.Lane(messages: 10, bytes: 1000))
        for number in 1...3 { inbox.add(message("a\(number)"), of: "a") }
        inbox.add(message("b1"), of: "b")
        inbox.add(.monitor(.disconnected), of: "")
        #expect(all(&inbox) == ["a1", "b1", "monitor", "a2", "a3"])
        #expect(inbox.count == 0)
    }

    @Test("is bounded for each user, in messages and in bytes, and what is dropped is told")
    func bounds() {
        var inbox = Inbox(lane: Inbox.Lane(messages: 3, bytes: 100))
        for number in 1...9 { inbox.add(message("a\(number)"), of: "a") }
        inbox.add(message("b1", byteCount: 90), of: "b")
        inbox.add(message("b2", byteCount: 90), of: "b")
        #expect(inbox.count == 4)
        #expect(all(&inbox) == ["dropped a a9", "dropped b b2", "a1", "b1", "a2", "a3"])
        // There is room again.
        inbox.add(message("b3", byteCount: 90), of: "b")
        #expect(all(&inbox) == ["b3"])
    }

    @Test("is read also while more is dropped than is read")
    func overrun() {
        var inbox = Inbox(lane: Inbox.Lane(messages: 2, bytes: 1000))
        var heard: [String?] = []
        for number in 1...12 {
            inbox.add(message("a\(number)"), of: "a")
            if number > 3 { heard.append(text(inbox.next())) }
        }
        #expect(heard.prefix(5) == ["dropped a a4", "a1", "dropped a a5", "a2", "dropped a a7"])
    }

    @Test("that has no room at all leaves nothing behind but the news of it")
    func oversized() {
        var inbox = Inbox(lane: Inbox.Lane(messages: 3, bytes: 100))
        inbox.add(message("a1", byteCount: 101), of: "a")
        #expect(all(&inbox) == ["dropped a a1"])
    }
}
