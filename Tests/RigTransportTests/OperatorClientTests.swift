import CaptureModel
import RigProtocol
import RigTransport
import TestSupport
import Testing
import ZeroMQ

/// A coordinator's sockets on loopback, and an operator who may connect to them.
private struct Line {
    let context: Context
    let handler: ZAPHandler
    let sockets: CoordinatorSockets
    let client: OperatorClient

    /// - Parameter host: where the client looks for the coordinator.
    init(host: String = "127.0.0.1") throws {
        context = Context()
        let (keys, operatorKeys) = (CurveKeyPair.generate(), CurveKeyPair.generate())
        handler = try ZAPHandler(context: context) { domain, key in
            domain == CoordinatorSockets.Domain.operators && key == operatorKeys.publicKey ? "ada" : nil
        }
        sockets = try CoordinatorSockets(context: context, keys: keys, handler: handler, host: "127.0.0.1", port: 0) {
            RigTime(nanoseconds: 0)
        }
        client = try OperatorClient(
            context: context, keys: operatorKeys, coordinatorKey: keys.publicKey, host: host,
            port: sockets.operatorPort)
    }

    func close() {
        client.close()
        sockets.close()
        handler.close()
    }

    /// What comes next, of somebody who was let in.
    func next() async throws -> (id: UniqueID, caller: Caller) {
        let arrival = try #require(await sockets.nextFromOperator())
        guard case .show(let id) = try arrival.message.get() else { throw WireError(.unknownType, "no such question") }
        return (id, arrival.caller)
    }
}

extension OperatorClient {
    /// Asks for a capture, and says in a word what came of it.
    fileprivate func show(_ number: Int64, seconds: Double = 30) async -> String {
        do {
            return "capture \(try await ask(ShowRequest(uniqueID: UniqueID(rawValue: number)), seconds: seconds))"
        } catch ClientError.refused(let refusal) {
            return refusal.message
        } catch ClientError.unreachable {
            return "unreachable"
        } catch {
            return "\(error)"
        }
    }
}

@Suite("An operator's connection", .timeLimit(.minutes(1)))
struct OperatorClientTests {
    @Test("has many questions under way, and each gets its own answer, in whatever order they come")
    func many() async throws {
        let line = try Line()
        defer { line.close() }
        let answering = Task {
            var asked: [(id: UniqueID, caller: Caller)] = []
            while asked.count < 8 { asked.append(try await line.next()) }
            for (id, caller) in asked.reversed() {
                #expect(caller.user == "ada")
                // One that nobody has asked stands before each.
                let stranger = Caller(peer: caller.peer, user: caller.user, request: caller.request + 1000)
                line.sockets.reply(Refusal(.tryAgain, "not yours"), to: stranger)
                line.sockets.reply(Refusal(.notFound, "\(id)"), to: caller)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask { #expect(await line.client.show(Int64(number)) == "\(number)") }
            }
        }
        try await answering.value
    }

    @Test("asks the catalogue eight things at a time, however many it is asked, and fires at once")
    func turns() async throws {
        let line = try Line()
        defer { line.close() }
        let asking = Task {
            await withTaskGroup(of: Bool.self) { group in
                for number in 1...50 {
                    group.addTask { await line.client.show(Int64(number)) == "\(number)" }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        var asked: [(id: UniqueID, caller: Caller)] = []
        while asked.count < 8 { asked.append(try await line.next()) }
        // What comes after eight of fifty is not a ninth.
        let cancelling = Task { try await line.client.ask(CancelRequest(uniqueID: UniqueID(rawValue: 1))) }
        let arrival = try #require(await line.sockets.nextFromOperator())
        #expect(try arrival.message.get() == .cancel(UniqueID(rawValue: 1)))
        line.sockets.reply(Refusal(.notFound, "There is none."), to: arrival.caller)
        await #expect(throws: OperatorClient.ClientError.self) { _ = try await cancelling.value }
        var count = 0
        while let (id, caller) = asked.popLast() {
            line.sockets.reply(Refusal(.notFound, "\(id)"), to: caller)
            count += 1
            if count <= 42 { asked.append(try await line.next()) }
        }
        #expect(await asking.value == 50 && count == 50)
    }

    @Test("lets nobody through who waited too long or wants nothing any more, and loses no place")
    func turnstile() async {
        let turnstile = Turnstile(places: 1, longestQueue: 2)
        #expect(await turnstile.enter())
        #expect(await !turnstile.enter(within: .milliseconds(10)))
        let cancelled = Task { await turnstile.enter() }
        let next = Task { await turnstile.enter() }
        cancelled.cancel()
        #expect(await !cancelled.value)
        await turnstile.leave()
        #expect(await next.value)
        await turnstile.leave()
        #expect(await turnstile.enter(within: .zero))
    }

    @Test("forgets a question that is not answered, and goes on with the others where somebody is heard")
    func late() async throws {
        let line = try Line()
        defer { line.close() }
        async let first = line.client.show(1, seconds: 5)
        let (_, slow) = try await line.next()
        async let second = line.client.show(2)
        let (_, quick) = try await line.next()
        async let third = line.client.show(3)
        let (_, last) = try await line.next()
        line.sockets.reply(Refusal(.notFound, "2"), to: quick)
        #expect(await second == "2")
        #expect(await first == "unreachable")
        // The late answer is nobody's; the one after it is the third's.
        line.sockets.reply(Refusal(.notFound, "1"), to: slow)
        line.sockets.reply(Refusal(.notFound, "3"), to: last)
        #expect(await third == "3")
    }

    @Test("that nothing is heard on is given up with all that waits, and the next question begins anew")
    func deaf() async throws {
        let line = try Line()
        defer { line.close() }
        async let patient = line.client.show(1, seconds: 600)
        _ = try await line.next()
        #expect(await line.client.show(2, seconds: 0.3) == "unreachable")
        #expect(await patient == "unreachable")
        async let again = line.client.show(4)
        while true {
            let (id, caller) = try await line.next()
            guard id.rawValue == 4 else { continue }
            line.sockets.reply(Refusal(.notFound, "4"), to: caller)
            break
        }
        #expect(await again == "4")
    }

    @Test("that is broken off twice before it stands is made again; one that is broken off each time is refused")
    func brokenOff() async throws {
        let line = try Line(host: FaultyProxy.host)
        defer { line.close() }
        let proxy = try FaultyProxy(ports: [line.sockets.operatorPort])
        defer { proxy.close() }
        proxy.breakNext(2)
        async let answer = line.client.show(1)
        let (_, caller) = try await line.next()
        line.sockets.reply(Refusal(.notFound, "1"), to: caller)
        #expect(await answer == "1")
        line.client.close()
        proxy.breakNext(1000)
        #expect(await line.client.show(2).contains("refused this key"))
    }

    @Test("that is closed leaves nobody waiting")
    func closed() async throws {
        let line = try Line()
        defer { line.close() }
        async let answer = line.client.show(1, seconds: 600)
        _ = try await line.next()
        line.client.close()
        #expect(await answer == "unreachable")
        let cancelled = Task { await line.client.show(2, seconds: 600) }
        _ = try await line.next()
        cancelled.cancel()
        #expect(await cancelled.value == "CancellationError()")
    }

    @Test("keeps a refusal's code that it does not know")
    func codes() throws {
        let refusal = Refusal(.init(rawValue: "notYourTurn"), "wait")
        let frame = Codec.encode(refusal, sequence: 1, answers: 7)
        #expect(try frame.withUnsafeBytes { try Codec.decode(Refusal.self, from: $0) } == refusal)
        #expect(try frame.withUnsafeBytes { try Codec.decode(Header.self, from: $0) }.answers == 7)
    }
}
