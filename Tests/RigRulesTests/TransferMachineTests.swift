import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("A transfer")
struct TransferMachineTests {
    private let key = PhotoID(uniqueID: UniqueID(rawValue: 1), node: "a", photoCount: 1)
    private let start = RigTime(nanoseconds: 0)
    private let limits = TransferMachine.Limits()

    private func pull(_ photoCount: Int = 1, byteCount: Int) throws -> PhotoPull {
        PhotoPull(
            key: PhotoID(uniqueID: key.uniqueID, node: "a", photoCount: photoCount),
            file: PhotoFile(
                byteCount: byteCount, sha256: "s", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: ""),
            path: "p\(photoCount)")
    }

    private func peer(_ node: NodeName, connection: UInt8 = 1) -> Peer {
        Peer(routingID: [connection] + Array(node.rawValue.utf8))
    }

    private func requests(_ effects: [TransferMachine.Effect]) -> [ChunkRequest] {
        effects.compactMap { if case .request(let request, _) = $0 { request } else { nil } }
    }

    private func chunk(_ request: ChunkRequest) -> Chunk {
        Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
    }

    /// A node of which so much has come that it is asked for as much as there is credit.
    private func warm(_ machine: inout TransferMachine, _ node: NodeName = "a") throws {
        let photo = PhotoPull(
            key: PhotoID(uniqueID: UniqueID(rawValue: 99), node: node, photoCount: 99),
            file: try pull(byteCount: 32 << 20).file, path: "w")
        var waiting = requests(machine.open(node, on: peer(node), now: start) + machine.enqueue(photo, now: start))
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            _ = machine.chunk(chunk(next), byteCount: next.length, from: node, now: start)
            waiting += requests(machine.written(photo.key, byteCount: next.length, now: start))
        }
        _ = machine.finished(photo.key, .stored, now: start)
    }

    @Test("asks for as many pieces as it has credit, one more for each that comes, and finishes")
    func pipelines() throws {
        var machine = TransferMachine()
        try warm(&machine)
        let size = limits.chunkSize * 6 + 10
        var waiting = requests(try machine.enqueue(pull(byteCount: size), now: start))
        #expect(waiting.count == limits.credit && waiting.allSatisfy { $0.length == limits.chunkSize })
        var finished = false
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            let effects = machine.chunk(chunk(next), byteCount: next.length, from: "a", now: start)
            #expect(
                effects.first == .append(key, offset: next.offset) && requests(effects).isEmpty,
                "credit comes back from the disk")
            waiting += requests(machine.written(key, byteCount: next.length, now: start))
            #expect(waiting.count <= limits.credit)
            if case .finish? = effects.last { finished = true }
        }
        #expect(finished)
        #expect(machine.finished(key, .stored, now: start).isEmpty)
    }

    @Test("asks for the next photo when all of one is asked for, within the node's credit")
    func nextPhoto() throws {
        var machine = TransferMachine()
        try warm(&machine)
        let asked = try (1...6).flatMap { photoCount in
            requests(try machine.enqueue(pull(photoCount, byteCount: limits.chunkSize), now: start))
        }
        #expect(asked.map(\.photoCount) == Array(1...limits.credit))
        // A photo that becomes durable holds up none: its pieces are on disk.
        let effects = machine.chunk(chunk(asked[0]), byteCount: asked[0].length, from: "a", now: start)
        #expect(effects == [.append(key, offset: 0), .finish(try pull(byteCount: limits.chunkSize))])
        #expect(
            requests(machine.written(key, byteCount: asked[0].length, now: start)).isEmpty, "four of a node at a time")
        let next = requests(machine.finished(key, .stored, now: start))
        #expect(next.map(\.photoCount) == [limits.credit + 1])
    }

    @Test("waits from when it asks, not from when something came last")
    func idle() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let later = start + .seconds(10)
        #expect(try !machine.enqueue(pull(byteCount: 10), now: later).isEmpty)
        #expect(machine.tick(now: later + .milliseconds(1)).isEmpty)
        #expect(machine.tick(now: later + .seconds(9)).isEmpty)
        #expect(!machine.tick(now: later + .seconds(10) + 1).isEmpty)
    }

    @Test("gives the slot of a node that sends nothing to another, and fails a photo of another length than was said")
    func stalled() throws {
        var one = limits
        one.slots = 1
        var machine = TransferMachine(limits: one)
        for node in ["a", "b"] as [NodeName] { _ = machine.open(node, on: peer(node), now: start) }
        _ = try machine.enqueue(pull(byteCount: 10), now: start)
        let other = PhotoPull(
            key: PhotoID(uniqueID: key.uniqueID, node: "b", photoCount: 1), file: try pull(byteCount: 10).file,
            path: "")
        #expect(machine.enqueue(other, now: start).isEmpty, "the slot is taken")
        let asked = machine.tick(now: start + TransferMachine.patience + 1)
        #expect(requests(asked).count == 1, "of the other")
        let short = machine.chunk(
            Chunk(uniqueID: key.uniqueID, photoCount: 1, offset: 0), byteCount: 9, from: "b", now: start)
        guard case .fail(other.key, _)? = short.last else { throw CancellationError() }
    }

    @Test("takes each byte once, however often a piece comes")
    func duplicates() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let first = try #require(
            requests(try machine.enqueue(pull(byteCount: limits.chunkSize * 2), now: start)).first)
        #expect(!machine.chunk(chunk(first), byteCount: first.length, from: "a", now: start).isEmpty)
        #expect(machine.chunk(chunk(first), byteCount: first.length, from: "a", now: start).isEmpty)
        #expect(machine.chunk(chunk(first), byteCount: 5, from: "b", now: start).isEmpty)
    }

    @Test("asks again for what does not come")
    func patience() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let asked = requests(try machine.enqueue(pull(byteCount: 100), now: start))
        #expect(machine.tick(now: start + .seconds(1)).isEmpty)
        #expect(machine.tick(now: start + .seconds(9)).isEmpty, "a slow wire is not asked twice")
        #expect(requests(machine.tick(now: start + .seconds(11))) == asked)
        #expect(machine.tick(now: start + .seconds(12)).isEmpty)
    }

    @Test("asks a slow wire for little at a time and never twice, and a fast one for all that it may")
    func pace() throws {
        for bytesPerSecond in [8 << 10, 62_500, 1 << 20, 100 << 20] {
            var machine = TransferMachine()
            _ = machine.open("a", on: peer("a"), now: start)
            let size = max(400 << 10, bytesPerSecond * 3)
            var waiting = requests(try machine.enqueue(pull(byteCount: size), now: start))
            var (now, asked, silence) = (start, waiting.reduce(0) { $0 + $1.length }, Int64(0))
            var largest = 0
            while !waiting.isEmpty {
                let next = waiting.removeFirst()
                largest = max(largest, next.length)
                let time = Int64(Double(next.length) / Double(bytesPerSecond) * 1e9)
                silence = max(silence, time)
                // The wire brings one after the other, while the clock ticks.
                var more: [ChunkRequest] = []
                for _ in 0..<max(1, time / .milliseconds(100)) { more += requests(machine.tick(now: now)) }
                now = now + time
                _ = machine.chunk(chunk(next), byteCount: next.length, from: "a", now: now)
                more += requests(machine.written(key, byteCount: next.length, now: now))
                asked += more.reduce(0) { $0 + $1.length }
                waiting += more
            }
            #expect(asked == size, "each byte once, at \(bytesPerSecond)")
            #expect(silence < .seconds(3), "something comes all the time, at \(bytesPerSecond)")
            if bytesPerSecond >= 100 << 20 { #expect(largest == limits.chunkSize) }
        }
    }

    @Test("lets slow nodes send beside those that have the slots")
    func slowNodes() throws {
        var one = limits
        one.slots = 1
        var machine = TransferMachine(limits: one)
        var now = start
        _ = machine.open("a", on: peer("a"), now: now)
        var waiting = requests(try machine.enqueue(pull(byteCount: 4 << 20), now: now))
        for _ in 0..<4 {
            let next = waiting.removeFirst()
            now = now + .seconds(1)
            _ = machine.chunk(chunk(next), byteCount: next.length, from: "a", now: now)
            waiting += requests(machine.written(key, byteCount: next.length, now: now))
        }
        _ = machine.open("b", on: peer("b"), now: now)
        let other = PhotoPull(
            key: PhotoID(uniqueID: key.uniqueID, node: "b", photoCount: 1), file: try pull(byteCount: 10).file, path: ""
        )
        #expect(requests(machine.enqueue(other, now: now)).count == 1)
    }

    @Test("gives up a photo that drips, however steadily")
    func drip() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let size = limits.chunkSize * 100
        var asked = requests(try machine.enqueue(pull(byteCount: size), now: start))
        var now = start
        var failure: CaptureError?
        while failure == nil, let next = asked.first {
            asked.removeFirst()
            now = now + .seconds(600)
            _ = machine.chunk(chunk(next), byteCount: next.length, from: "a", now: now)
            asked += requests(machine.written(key, byteCount: next.length, now: now))
            failure =
                machine.tick(now: now).lazy.compactMap { if case .fail(_, let error) = $0 { error } else { nil } }
                .first
        }
        #expect(failure?.message.contains("1024 bytes a second") == true)
        let allowed = TransferMachine.leastTime + .seconds(Int64(size / TransferMachine.leastPace))
        #expect((allowed...allowed + .seconds(600)).contains(now - start))
    }

    @Test("begins a damaged photo anew, and gives up in the end")
    func damaged() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        var asked = requests(try machine.enqueue(pull(byteCount: 100), now: start))
        let error = CaptureError(.transferFailed, "x")
        for turn in 1...TransferMachine.tries {
            let request = try #require(asked.first)
            _ = machine.chunk(chunk(request), byteCount: 100, from: "a", now: start)
            let effects = machine.finished(key, .unfit(error), now: start)
            asked = requests(effects)
            #expect(effects.contains(.fail(key, error)) == (turn == TransferMachine.tries))
        }
        #expect(asked.isEmpty)
    }

    @Test("does not fetch again what the library's disk did not take")
    func notTaken() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let request = try #require(requests(try machine.enqueue(pull(byteCount: 100), now: start)).first)
        _ = machine.chunk(chunk(request), byteCount: 100, from: "a", now: start)
        let error = CaptureError(.transferFailed, "full")
        #expect(machine.finished(key, .notTaken(error), now: start) == [.discard(key), .fail(key, error)])
    }

    @Test("goes on with the next photo when the node has lost one, and forgets a node that is gone")
    func lost() throws {
        var machine = TransferMachine()
        _ = machine.open("a", on: peer("a"), now: start)
        let first = try #require(requests(try machine.enqueue(pull(byteCount: 100), now: start)).first)
        #expect(requests(try machine.enqueue(pull(2, byteCount: 50), now: start)).map(\.photoCount) == [2])
        var gone = chunk(first)
        gone.error = CaptureError(.storageFailed, "gone")
        let effects = machine.chunk(gone, byteCount: 0, from: "a", now: start)
        #expect(effects.contains(.fail(key, CaptureError(.storageFailed, "gone"))))
        let other = Chunk(uniqueID: key.uniqueID, photoCount: 2, offset: 0)
        #expect(
            machine.chunk(other, byteCount: 50, from: "a", now: start).count == 2, "the other one comes all the same")
        #expect(machine.close("a", now: start).isEmpty)
        #expect(machine.tick(now: start + .seconds(100)).isEmpty)
    }

    @Test("goes on where it was when the node comes back, and where a former run was")
    func resumes() throws {
        let left = PhotoID(uniqueID: key.uniqueID, node: "b", photoCount: 1)
        var machine = TransferMachine(partials: [left: 70])
        _ = machine.open("a", on: peer("a"), now: start)
        let size = limits.chunkSize * 3
        let first = try #require(requests(try machine.enqueue(pull(byteCount: size), now: start)).first)
        _ = machine.chunk(chunk(first), byteCount: first.length, from: "a", now: start)
        _ = machine.close("a", now: start)
        _ = try machine.enqueue(pull(byteCount: size), now: start)
        #expect(requests(machine.open("a", on: peer("a"), now: start)).first?.offset == first.length)
        #expect(machine.open("a", on: peer("a"), now: start).isEmpty, "it still owes what it was asked for")
        // A connection that was made anew has lost what was asked for on the old one.
        let again = machine.open("a", on: peer("a", connection: 2), now: start)
        #expect(requests(again).first?.offset == first.length)

        _ = machine.open("b", on: peer("b"), now: start)
        let rest = PhotoPull(key: left, file: try pull(byteCount: 100).file, path: "b")
        #expect(requests(machine.enqueue(rest, now: start)).map(\.offset) == [70])
    }

    @Test("serves many nodes in turns, some at a time")
    func turns() throws {
        var few = limits
        few.slots = 2
        var machine = TransferMachine(limits: few)
        func pull(_ node: NodeName, _ photoCount: Int) throws -> PhotoPull {
            PhotoPull(
                key: PhotoID(uniqueID: key.uniqueID, node: node, photoCount: photoCount),
                file: try self.pull(byteCount: 10).file, path: "")
        }
        var asked: [(node: NodeName, photo: Int)] = []
        func note(_ effects: [TransferMachine.Effect]) {
            for case .request(let request, let peer) in effects {
                let name = NodeName(String(decoding: peer.routingID.dropFirst(), as: UTF8.self))
                if let name { asked.append((name, request.photoCount)) }
            }
        }
        for node in ["a", "b", "c"] as [NodeName] {
            note(machine.open(node, on: peer(node), now: start))
            for photo in 1...2 { note(machine.enqueue(try pull(node, photo), now: start)) }
        }
        #expect(asked.map(\.node) == ["a", "a", "b", "b"])
        var done = 0
        while done < asked.count {
            let next = asked[done]
            let piece = Chunk(uniqueID: key.uniqueID, photoCount: next.photo, offset: 0)
            note(machine.chunk(piece, byteCount: 10, from: next.node, now: start))
            note(machine.finished(try pull(next.node, next.photo).key, .stored, now: start))
            done += 1
        }
        #expect(asked.map { "\($0.node)\($0.photo)" } == ["a1", "a2", "b1", "b2", "c1", "c2"])
    }
}
