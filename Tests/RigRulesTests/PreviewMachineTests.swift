import CaptureModel
import RigProtocol
import Testing

@testable import RigRules

struct PreviewMachineTests {
    /// As long as a JPEG is up to what tells its size, and then a byte that tells one from another.
    private static func picture(_ mark: UInt8, width: UInt16 = 320) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 0, 240, UInt8(width >> 8), UInt8(width & 255), mark]
    }

    private let peer = Peer(routingID: [1])
    private let anna = Caller(peer: Peer(routingID: [8]), user: "anna", request: 1)
    private let ben = Caller(peer: Peer(routingID: [9]), user: "ben", request: 1)
    private var machine = PreviewMachine()

    init() { _ = machine.open("a", on: peer, now: at(0)) }

    /// - Parameter milliseconds: since the start.
    private func at(_ milliseconds: Int64) -> RigTime {
        RigTime(nanoseconds: .seconds(100) + .milliseconds(milliseconds))
    }

    private func request(_ seen: [NodeName: Int] = ["a": 0], _ size: PreviewSize = .tile) -> PreviewsRequest {
        PreviewsRequest(size: size, seen: seen)
    }

    private func asked(_ effects: [PreviewMachine.Effect]) -> [Peer] {
        effects.compactMap { if case .request(_, let peer) = $0 { peer } else { nil } }
    }

    private func replies(_ effects: [PreviewMachine.Effect]) -> [(reply: PreviewsReply, bytes: [UInt8], to: Caller)] {
        effects.compactMap {
            if case .reply(let reply, let bytes, let caller) = $0 { (reply, bytes, caller) } else { nil }
        }
    }

    @Test("A node is asked once however many look, and all of them get its picture")
    mutating func once() {
        #expect(asked(machine.request(request(), from: anna, now: at(0))) == [peer])
        #expect(asked(machine.request(request(), from: ben, now: at(1))).isEmpty)
        let answers = replies(machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(2)))
        #expect(answers.map(\.to) == [anna, ben])
        #expect(answers.allSatisfy { $0.bytes == Self.picture(1) && $0.reply.pictures.first?.byteCount == 18 })
    }

    @Test("Nobody is asked while nobody looks")
    mutating func credit() {
        _ = machine.request(request(), from: anna, now: at(0))
        _ = machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(1))
        #expect((2..<100).allSatisfy { machine.tick(now: at($0 * 100)).isEmpty })
    }

    @Test("Who looks slower gets the newest picture, and what was seen does not come again")
    mutating func newest() {
        _ = machine.request(request(), from: anna, now: at(0))
        let first = replies(machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(1)))
        let number = first.first?.reply.pictures.first?.number ?? 0
        _ = machine.request(request(["a": number]), from: anna, now: at(2))
        _ = machine.preview(Preview(size: .tile), Self.picture(2), from: "a", now: at(3))
        let slow = machine.request(request(), from: ben, now: at(4))
        #expect(slow.isEmpty, "what is known comes first, and no faster than ticks")
        #expect(replies(machine.tick(now: at(100))).map(\.bytes) == [Self.picture(2)])
        let again = machine.request(request(["a": number + 1]), from: ben, now: at(101))
        #expect(replies(again).isEmpty && asked(again) == [peer])
    }

    @Test("Pictures of many nodes come together: when all are there, or at the next tick")
    mutating func together() {
        let other = Peer(routingID: [2])
        _ = machine.open("b", on: other, now: at(0))
        #expect(asked(machine.request(request(["a": 0, "b": 0]), from: anna, now: at(0))) == [peer, other])
        #expect(machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(1)).isEmpty)
        let all = replies(machine.preview(Preview(size: .tile), Self.picture(2), from: "b", now: at(2)))
        #expect(all.map(\.bytes) == [Self.picture(1) + Self.picture(2)])
        #expect(all.first?.reply.pictures.map(\.node) == ["a", "b"])

        _ = machine.request(request(["a": 2, "b": 2]), from: anna, now: at(3))
        #expect(machine.preview(Preview(size: .tile), Self.picture(4), from: "a", now: at(4)).isEmpty)
        #expect(replies(machine.tick(now: at(100))).map(\.bytes) == [Self.picture(4)])
    }

    @Test("A picture that nobody asked for is not kept")
    mutating func unasked() {
        #expect(machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(0)).isEmpty)
        #expect(machine.preview(Preview(size: .large), Self.picture(1), from: "b", now: at(0)).isEmpty)
        #expect(replies(machine.request(request(), from: anna, now: at(1))).isEmpty)
    }

    @Test("A node that does not answer is told of, and asked again; one that is not there is told of after the wait")
    mutating func silence() {
        _ = machine.request(request(["a": 0, "b": 0]), from: anna, now: at(0))
        #expect(machine.tick(now: at(1900)).isEmpty)
        let empty = replies(machine.tick(now: at(2100)))
        #expect(empty.first?.reply == PreviewsReply(problems: ["b": "It is not connected."]))
        _ = machine.request(request(), from: anna, now: at(2200))
        let late = replies(machine.tick(now: at(3100)))
        #expect(late.first?.reply.problems["a"] == "It has sent no picture for 3 s.")
        #expect(asked(machine.request(request(), from: anna, now: at(6000))) == [peer])
    }

    @Test("Why there is no picture is told once a tick, and not as fast as somebody asks")
    mutating func failure() {
        _ = machine.request(request(), from: anna, now: at(0))
        let error = CaptureError(.deviceNotConnected, "The camera is not connected.")
        #expect(machine.preview(Preview(size: .tile, error: error), [], from: "a", now: at(1)).isEmpty)
        #expect(replies(machine.tick(now: at(50))).first?.reply.problems == ["a": "The camera is not connected."])
    }

    @Test("A node on another connection is asked there for whoever waits, and one that is gone is not")
    mutating func connections() {
        _ = machine.request(request(), from: anna, now: at(0))
        let other = Peer(routingID: [2])
        #expect(asked(machine.open("a", on: other, now: at(10))) == [other])
        #expect(machine.open("a", on: other, now: at(11)).isEmpty, "it says hello with every heartbeat")
        machine.close("a")
        #expect(asked(machine.request(request(), from: ben, now: at(20))).isEmpty)
    }

    @Test("What cannot be asked for is refused, and so is too much at once")
    mutating func refusals() {
        func refusals(_ effects: [PreviewMachine.Effect]) -> [Refusal.Code] {
            effects.compactMap { if case .refuse(let refusal, _) = $0 { refusal.code } else { nil } }
        }
        var bad = request()
        bad.seen = ["no name": 0]
        #expect(refusals(machine.request(bad, from: anna, now: at(0))) == [.invalid])
        #expect(refusals(machine.request(request([:]), from: anna, now: at(0))) == [.invalid])
        for _ in 0..<64 { _ = machine.request(request(), from: ben, now: at(0)) }
        #expect(refusals(machine.request(request(), from: ben, now: at(0))) == [.tryAgain])
        #expect(refusals(machine.request(request(), from: anna, now: at(0))).isEmpty, "others have room")
        let many = Dictionary(uniqueKeysWithValues: (0..<1000).compactMap { NodeName("n\($0)") }.map { ($0, 0) })
        let told = (0..<20).flatMap { _ in refusals(machine.request(request(many), from: anna, now: at(0))) }
        #expect(told == [.tryAgain])
    }

    @Test("An answer holds only so much; what has no room comes with the next one")
    mutating func room() {
        let nodes: [NodeName] = ["a", "b", "c", "d", "e"]
        for (index, node) in nodes.enumerated().dropFirst() {
            _ = machine.open(node, on: Peer(routingID: [UInt8(index + 1)]), now: at(0))
        }
        _ = machine.request(
            request(Dictionary(uniqueKeysWithValues: nodes.map { ($0, 0) }), .large), from: anna, now: at(0))
        let large = Self.picture(1) + [UInt8](repeating: 0, count: 1 << 20)
        var effects: [PreviewMachine.Effect] = []
        for node in nodes { effects += machine.preview(Preview(size: .large), large, from: node, now: at(1)) }
        let first = replies(effects).first?.reply
        #expect(first?.pictures.map(\.node) == ["a", "b", "c"])
        let seen = Dictionary(uniqueKeysWithValues: (first?.pictures ?? []).map { ($0.node, $0.number) })
        let next = machine.request(
            request(seen.merging(["d": 0, "e": 0]) { one, _ in one }, .large), from: anna, now: at(3))
        #expect(replies(next).isEmpty && asked(next).count == 3)
        #expect(replies(machine.tick(now: at(4))).first?.reply.pictures.map(\.node) == ["d", "e"])
    }

    @Test("A tile of many bytes, and one with a second frame behind the first, is no picture")
    mutating func unsound() {
        let second: [UInt8] = [0xFF, 0xDA, 0, 2, 7, 0xFF, 0, 9, 0xFF, 0xC0, 0, 11, 8, 0xFF, 0xFF, 0xFF, 0xFF, 1]
        for bytes in [
            Self.picture(1) + [UInt8](repeating: 0, count: 1 << 20), Self.picture(1) + [0, 0, 0, 0, 0] + second,
        ] {
            _ = machine.request(request(), from: anna, now: at(0))
            let effects = machine.preview(Preview(size: .tile), bytes, from: "a", now: at(1)) + machine.tick(now: at(2))
            #expect(replies(effects).first?.reply.problems["a"]?.contains("not the picture") == true)
        }
    }

    @Test("What was seen of a coordinator that ran before does not keep the pictures of this one away")
    mutating func restart() {
        _ = machine.request(request(["a": 5000]), from: anna, now: at(0))
        #expect(replies(machine.preview(Preview(size: .tile), Self.picture(1), from: "a", now: at(1))).count == 1)
    }

    @Test("What is no picture, or a larger one than was asked for, is a node's problem and nobody else's")
    mutating func hostile() {
        let long = Preview(size: .tile, error: CaptureError(.deviceFailed, String(repeating: "x", count: 1 << 20)))
        let bad: [(Preview, [UInt8])] = [
            (Preview(size: .tile), []), (Preview(size: .tile), [0xFF, 0xD8, 0xFF, 0xC0, 0]), (long, []),
        ]
        let huge: [(Preview, [UInt8])] = [
            (Preview(size: .tile), Self.picture(1, width: 321)), (Preview(size: .tile), Self.picture(1, width: 0)),
        ]
        for (index, (preview, bytes)) in (bad + huge).enumerated() {
            let time = Int64(index) * 10_000
            _ = machine.request(request(), from: anna, now: at(time))
            #expect(machine.preview(preview, bytes, from: "a", now: at(time + 1)).isEmpty)
            let told = replies(machine.tick(now: at(time + 100)))
            #expect(told.first?.reply.pictures.isEmpty == true && told.first?.bytes.isEmpty == true)
            #expect((1...300).contains(told.first?.reply.problems["a"]?.count ?? 0))
        }
    }

    @Test("A thousand nodes that many look at cost the rules little")
    mutating func crowd() {
        let names = (0..<1000).compactMap { NodeName("n\($0)") }
        for name in names { _ = machine.open(name, on: peer, now: at(0)) }
        let seen = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
        for _ in 0..<20 { _ = machine.request(request(seen), from: anna, now: at(0)) }
        let answers = names.flatMap {
            replies(machine.preview(Preview(size: .tile), Self.picture(1), from: $0, now: at(1)))
        }
        #expect(answers.count == 20 && answers.allSatisfy { $0.reply.pictures.count == 1000 })
    }
}
