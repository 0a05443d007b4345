import Synchronization
import Testing
import ZeroMQ

/// A ROUTER that admits one key, and what connects to it.
private struct Link {
    let context = Context()
    let serverKeys = CurveKeyPair.generate()
    let allowed = CurveKeyPair.generate()
    let handler: ZAPHandler
    let router: SocketChannel

    init(
        maximumMessageSize: Int64 = 1 << 20, sendHighWaterMark: CInt = 1000,
        answer: SocketChannel.Handler? = nil
    ) throws {
        let key = allowed.publicKey
        handler = try ZAPHandler(context: context) { domain, candidate in
            domain == "nodes" && candidate == key ? "node-1" : nil
        }
        var options = SocketOptions()
        options.maximumMessageSize = maximumMessageSize
        options.sendHighWaterMark = sendHighWaterMark
        options.security = .server(serverKeys, handler, domain: "nodes")
        router = try SocketChannel(
            context: context, name: "router", type: .router, options: options, attachment: .bind("tcp://127.0.0.1:*"),
            handler: answer)
    }

    func dealer(_ keys: CurveKeyPair?, receiveHighWaterMark: CInt = 1000) throws -> SocketChannel {
        var options = SocketOptions()
        options.receiveHighWaterMark = receiveHighWaterMark
        options.linger = 0
        options.security = keys.map { .client($0, server: serverKeys.publicKey) }
        return try SocketChannel(
            context: context, name: "dealer", type: .dealer, options: options, attachment: .connect(router.endpoint))
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}

private func nextMessage(_ channel: SocketChannel) async -> [Frame]? {
    while let event = await channel.receive() {
        if case .message(let frames) = event { return frames }
    }
    return nil
}

private func nextMonitorEvent(_ channel: SocketChannel) async -> MonitorEvent? {
    while let event = await channel.receive() {
        if case .monitor(let event) = event { return event }
    }
    return nil
}

@Suite("A CURVE link", .timeLimit(.minutes(1)))
struct CurveTests {
    @Test("that is closed at any moment of its handshake holds up no other")
    func closedEarly() async throws {
        let link = try Link()
        for turn in 0..<200 {
            let dealer = try link.dealer(link.allowed)
            // At once, or a little later each time.
            for _ in 0..<turn * 500 where !dealer.send([]) { break }
            dealer.close()
        }
        let last = try link.dealer(link.allowed)
        #expect(await nextMonitorEvent(last) == .handshakeSucceeded)
        last.close()
        link.router.close()
        link.handler.close()
    }

    @Test("carries messages both ways, and names the sender's user")
    func roundTrip() async throws {
        let link = try Link()
        let dealer = try link.dealer(link.allowed)
        dealer.send([Frame(Array("hello".utf8)), Frame([])])
        let received = try #require(await nextMessage(link.router))
        #expect(received.count == 3)
        #expect(received[1].bytes == Array("hello".utf8))
        #expect(received[1].userID == "node-1")
        link.router.send([received[0], Frame(Array("welcome".utf8))])
        #expect(await nextMessage(dealer)?.first?.bytes == Array("welcome".utf8))
        dealer.close()
        link.router.close()
    }

    @Test("refuses a key that is not in the allow-list, and the client learns why")
    func unknownKey() async throws {
        let link = try Link()
        let stranger = try link.dealer(.generate())
        stranger.send([Frame([1])])
        #expect(await nextMonitorEvent(stranger) == .authenticationFailed)
        stranger.close()
    }

    @Test("refuses a client without CURVE")
    func noSecurity() async throws {
        let link = try Link()
        let naked = try link.dealer(nil)
        naked.send([Frame([1])])
        #expect(await nextMonitorEvent(naked) != .handshakeSucceeded)
        naked.close()
    }

    @Test("drops a peer that sends more than the limit")
    func oversized() async throws {
        let link = try Link(maximumMessageSize: 1000)
        let dealer = try link.dealer(link.allowed)
        #expect(await nextMonitorEvent(dealer) == .handshakeSucceeded)
        dealer.send([Frame([UInt8](repeating: 0, count: 2000))])
        #expect(await nextMonitorEvent(dealer) == .disconnected)
        dealer.close()
    }

    @Test("loses what it cannot deliver, and goes on")
    func undeliverable() async throws {
        let link = try Link()
        link.router.send([Frame(Array("nobody".utf8)), Frame([1])])
        let dealer = try link.dealer(link.allowed)
        dealer.send([Frame(Array("hello".utf8))])
        #expect(await nextMessage(link.router)?.last?.bytes == Array("hello".utf8))
        dealer.close()
    }

    @Test("answers others also after a peer that asked and did not read")
    func unread() async throws {
        // Each answer is large, so that a few fill what libzmq and TCP keep for a peer.
        let answered = Counter()
        let link = try Link(sendHighWaterMark: 1) { frames in
            answered.add()
            return [frames[0], Frame([UInt8](repeating: 0, count: frames[1].count == 1 ? 20_000 : 1))]
        }
        let deaf = try link.dealer(link.allowed, receiveHighWaterMark: 1)
        while answered.count < 4 * SocketOptions().queueLimit {
            if !deaf.send([Frame([1])]) { try await Task.sleep(for: .milliseconds(1)) }
        }
        let other = try link.dealer(link.allowed)
        other.send([Frame([1, 2])])
        #expect(await nextMessage(other)?.first?.count == 1)
        deaf.close()
        other.close()
    }

    @Test("keeps the order of many messages in flight")
    func order() async throws {
        let link = try Link()
        let dealer = try link.dealer(link.allowed)
        for number in 0..<3000 {
            #expect(dealer.send([Frame(Array("\(number)".utf8))]))
        }
        for number in 0..<3000 {
            let frames = try #require(await nextMessage(link.router))
            #expect(frames[1].bytes == Array("\(number)".utf8))
        }
        dealer.close()
    }

    @Test("ends a waiting reader when it closes or is cancelled")
    func closing() async throws {
        let link = try Link()
        async let event = link.router.receive()
        let reader = Task { [router = try link.dealer(link.allowed)] in
            while await router.receive() != nil {}
            return true
        }
        reader.cancel()
        #expect(await reader.value)
        link.router.close()
        while case .some(.monitor) = await link.router.receive() {}
        _ = await event
    }
}

@Suite("A CURVE key")
struct KeyTests {
    @Test("is read back from its text")
    func roundTrip() throws {
        let pair = CurveKeyPair.generate()
        let again = try #require(CurveKeyPair(secretKey: pair.secretKey + "\n"))
        #expect(again.publicKey == pair.publicKey)
        #expect(CurvePublicKey(" \(pair.publicKey)\n") == pair.publicKey)
    }

    @Test("that is none is refused", arguments: ["", "abc", String(repeating: "~", count: 40)])
    func refused(text: String) {
        #expect(CurvePublicKey(text) == nil)
        #expect(CurveKeyPair(secretKey: text) == nil)
    }
}
