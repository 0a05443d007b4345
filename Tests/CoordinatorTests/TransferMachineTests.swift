import CaptureModel
import Coordinator
import PhotoStore
import RigProtocol
import Testing

@Suite("A transfer")
struct TransferMachineTests {
    private let key = Library.Key(uniqueID: UniqueID(rawValue: 1), node: "a", photoCount: 1)
    private let start = RigTime(nanoseconds: 0)

    private func pull(_ photoCount: Int = 1, byteCount: Int) throws -> PhotoPull {
        PhotoPull(
            key: Library.Key(uniqueID: key.uniqueID, node: "a", photoCount: photoCount),
            file: PhotoFile(
                byteCount: byteCount, sha256: "s", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: ""),
            path: "p\(photoCount)")
    }

    private func requests(_ effects: [TransferMachine.Effect]) -> [ChunkRequest] {
        effects.compactMap { if case .request(let request, _) = $0 { request } else { nil } }
    }

    private func chunk(_ request: ChunkRequest) -> Chunk {
        Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
    }

    @Test("asks for as many pieces as it has credit, one more for each that comes, and finishes")
    func pipelines() throws {
        var machine = TransferMachine()
        let size = TransferMachine.chunkSize * 6 + 10
        #expect(try machine.enqueue(pull(byteCount: size), now: start).isEmpty, "the plane is not open yet")
        var waiting = requests(machine.open("a", now: start))
        #expect(waiting.count == TransferMachine.credit)
        var finished = false
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            let effects = machine.chunk(chunk(next), byteCount: next.length, from: "a", now: start)
            #expect(effects.first == .append(key) && requests(effects).isEmpty, "credit comes back from the disk")
            waiting += requests(machine.written(key, byteCount: next.length))
            #expect(waiting.count <= TransferMachine.credit)
            if case .finish? = effects.last { finished = true }
        }
        #expect(finished)
        #expect(machine.finished(key, error: nil, now: start).isEmpty)
    }

    @Test("takes each byte once, however often a piece comes")
    func duplicates() throws {
        var machine = TransferMachine()
        _ = machine.open("a", now: start)
        let first = try #require(
            requests(try machine.enqueue(pull(byteCount: TransferMachine.chunkSize * 2), now: start)).first)
        #expect(!machine.chunk(chunk(first), byteCount: first.length, from: "a", now: start).isEmpty)
        #expect(machine.chunk(chunk(first), byteCount: first.length, from: "a", now: start).isEmpty)
        #expect(machine.chunk(chunk(first), byteCount: 5, from: "b", now: start).isEmpty)
    }

    @Test("asks again for what does not come")
    func patience() throws {
        var machine = TransferMachine()
        _ = machine.open("a", now: start)
        let asked = requests(try machine.enqueue(pull(byteCount: 100), now: start))
        #expect(machine.tick(now: start + .seconds(1)).isEmpty)
        #expect(requests(machine.tick(now: start + TransferMachine.patience + 1)) == asked)
    }

    @Test("begins a damaged photo anew, and gives up in the end")
    func damaged() throws {
        var machine = TransferMachine()
        _ = machine.open("a", now: start)
        var asked = requests(try machine.enqueue(pull(byteCount: 100), now: start))
        let error = CaptureError(.transferFailed, "x")
        for turn in 1...TransferMachine.tries {
            let request = try #require(asked.first)
            _ = machine.chunk(chunk(request), byteCount: 100, from: "a", now: start)
            let effects = machine.finished(key, error: error, now: start)
            asked = requests(effects)
            #expect(effects.contains(.fail(key, error)) == (turn == TransferMachine.tries))
        }
        #expect(asked.isEmpty)
    }

    @Test("goes on with the next photo when the node has lost one, and forgets a node that is gone")
    func lost() throws {
        var machine = TransferMachine()
        _ = machine.open("a", now: start)
        let first = try #require(requests(try machine.enqueue(pull(byteCount: 100), now: start)).first)
        #expect(try machine.enqueue(pull(2, byteCount: 50), now: start).isEmpty)
        var gone = chunk(first)
        gone.error = CaptureError(.storageFailed, "gone")
        let effects = machine.chunk(gone, byteCount: 0, from: "a", now: start)
        #expect(effects.contains(.fail(key, CaptureError(.storageFailed, "gone"))))
        #expect(requests(effects).first?.photoCount == 2)
        #expect(machine.close("a") == [.discard(Library.Key(uniqueID: key.uniqueID, node: "a", photoCount: 2))])
        #expect(machine.tick(now: start + .seconds(100)).isEmpty)
    }
}
