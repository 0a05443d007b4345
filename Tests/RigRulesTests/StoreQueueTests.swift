import CaptureModel
import RigProtocol
import Testing

@testable import RigRules

@Suite("What the stores are given to do")
struct StoreQueueTests {
    private let full = StoreFailure("full")
    private let impossible = StoreFailure("impossible", .schema)
    private let start = RigTime(nanoseconds: 0)

    private func capture(_ id: Int64) -> UniqueID { UniqueID(rawValue: id) }
    private func key(_ photoCount: Int) -> PhotoID {
        PhotoID(uniqueID: capture(1), node: "a", photoCount: photoCount)
    }

    private func pull(_ photoCount: Int) -> PhotoPull {
        PhotoPull(
            key: key(photoCount),
            file: PhotoFile(
                byteCount: 2, sha256: "s", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: ""),
            path: "p\(photoCount)")
    }

    private func job(_ number: Int64, accepts: Bool = false) -> StoreQueue.Commit {
        StoreQueue.Commit(
            changes: [.captureWithdrawn(capture(number))], then: accepts ? [] : [.report("\(number)")],
            accepting: accepts ? capture(number) : nil)
    }

    /// In words: what is committed, made known, said, refused.
    private func words(_ outputs: [StoreQueue.Output]) -> [String] {
        outputs.flatMap { output -> [String] in
            switch output {
            case .work(.commit(let changes)):
                let ids = changes.map { if case .captureWithdrawn(let id) = $0 { "\(id.rawValue)" } else { "?" } }
                return ["commit " + ids.joined(separator: "+")]
            case .work(.accept(let id)): return ["accept \(id.rawValue)"]
            case .work(.archive(let id)): return ["archive \(id.rawValue)"]
            case .work(.append(_, let key, let offset)): return ["append \(key.photoCount) at \(offset)"]
            case .work(.locate(let pull)): return ["locate \(pull.key.photoCount)"]
            case .work(.complete(let pull)): return ["complete \(pull.key.photoCount)"]
            case .work(.discard(let key)): return ["discard \(key.photoCount)"]
            case .work(.publish): return ["publish"]
            case .effects(let effects):
                return effects.map { if case .report(let report) = $0 { report.words } else { "?" } }
            case .alarm: return ["alarm"]
            case .input(.accepted(let id)): return ["accepted \(id.rawValue)"]
            case .input(.acceptFailed(let id, _)): return ["acceptFailed \(id.rawValue)"]
            case .input(.commitRefused): return ["refused"]
            case .input(.actFailed(_, _, let reason)): return ["withdrawn: \(reason)"]
            case .input(.photoArrived(let key, _)): return ["arrived \(key.photoCount)"]
            case .input: return ["?"]
            case .enqueue(let pull): return ["enqueue \(pull.key.photoCount)"]
            case .written(let key, let count): return ["written \(key.photoCount) \(count)"]
            case .finished(let key, let error): return ["finished \(key.photoCount) \(error == .stored)"]
            }
        }
    }

    private func act(_ number: Int64, since: RigTime) -> StoreQueue.Commit {
        StoreQueue.Commit(
            changes: [.captureWithdrawn(capture(number))], then: [.report("\(number)")],
            act: StoreQueue.Act(caller: nil, since: since))
    }

    @Test(
        "is withdrawn where a person wants it and a full disk does not take it, and what is true already is tried again"
    )
    func withdrawn() {
        var queue = StoreQueue()
        #expect(words(queue.commit(job(1))) == ["commit 1"])
        #expect(queue.commit(act(2, since: start)).isEmpty)
        // Refused together, then alone.
        #expect(words(queue.committed(full, start)) == ["commit 1"])
        #expect(words(queue.committed(full, start)) == ["alarm", "withdrawn: full"])
        #expect(queue.failure == full)
        let again = start + .seconds(1)
        #expect(words(queue.tick(again)) == ["commit 1"])
        #expect(words(queue.committed(full, again)) == ["alarm"])
        #expect(queue.failure?.times == 2)
        let later = start + .seconds(2)
        #expect(words(queue.tick(later)) == ["commit 1"])
        #expect(words(queue.committed(nil, later)) == ["1"] && queue.isIdle && queue.failure == nil)
        // Alone on a full disk.
        #expect(words(queue.commit(act(3, since: later))) == ["commit 3"])
        #expect(words(queue.committed(full, later)) == ["commit 3"])
        #expect(words(queue.committed(full, later)) == ["alarm", "withdrawn: full"] && queue.isIdle)
    }

    @Test("makes room before what a full disk does not take is tried again, and is not withdrawn with other wishes")
    func makesRoom() {
        let emptying = StoreQueue.Commit(
            changes: [.trashEmptied(capture(2), deletedUntil: 1, at: 1)], then: [.report("emptied")],
            act: StoreQueue.Act(caller: nil, since: start))
        var queue = StoreQueue()
        #expect(words(queue.commit(job(1))) == ["commit 1"])
        #expect(words(queue.committed(full, start)) == ["commit 1"])
        #expect(words(queue.committed(full, start)) == ["alarm"])
        // While that rests.
        #expect(queue.commit(act(3, since: start)).isEmpty && queue.commit(emptying).isEmpty)
        let again = start + .seconds(1)
        #expect(words(queue.tick(again)) == ["commit 1"])
        #expect(words(queue.committed(full, again)) == ["alarm", "withdrawn: full", "commit ?"])
        #expect(words(queue.committed(nil, again)) == ["emptied", "commit 1"])
        #expect(words(queue.committed(nil, again)) == ["1"] && queue.isIdle)
        // Where even that is not taken, it is withdrawn, and the rest goes on resting.
        #expect(words(queue.commit(job(4))) == ["commit 4"])
        #expect(queue.commit(emptying).isEmpty)
        #expect(words(queue.committed(full, again)) == ["commit 4"])
        #expect(words(queue.committed(full, again)) == ["alarm", "commit ?"])
        #expect(words(queue.committed(full, again)) == ["alarm", "withdrawn: full", "commit 4"])
        #expect(words(queue.committed(full, again)) == ["alarm"])
        // Behind a wish that is refused it is tried as well.
        let later = start + .seconds(3)
        #expect(words(queue.tick(later)) == ["commit 4"])
        #expect(words(queue.committed(nil, later)) == ["4"] && queue.isIdle)
        #expect(words(queue.commit(act(5, since: later))) == ["commit 5"])
        #expect(queue.commit(emptying).isEmpty)
        #expect(words(queue.committed(full, later)) == ["commit 5"])
        #expect(words(queue.committed(full, later)) == ["alarm", "withdrawn: full", "commit ?"])
    }

    @Test("is withdrawn where a person wants it and a disk that hangs is not given it within eight seconds")
    func hangs() {
        var queue = StoreQueue()
        #expect(words(queue.commit(job(1))) == ["commit 1"])
        #expect(queue.commit(act(2, since: start)).isEmpty)
        #expect(queue.tick(start + .seconds(8)).isEmpty)
        #expect(words(queue.tick(start + .seconds(9))) == ["withdrawn: the catalogue's disk does not answer"])
        #expect(words(queue.committed(nil, start + .seconds(60))) == ["1"] && queue.isIdle, "it is never carried out")
    }

    @Test("is committed in groups, and said in order; a new capture is made known before what came after it is said")
    func groups() {
        var queue = StoreQueue()
        #expect(words(queue.commit(job(1))) == ["commit 1"])
        for number in 2...4 as ClosedRange<Int64> {
            #expect(queue.commit(job(number, accepts: number == 3)).isEmpty)
        }
        #expect(words(queue.committed(nil, start)) == ["1", "commit 2+3+4"])
        #expect(words(queue.committed(nil, start)) == ["2", "accept 3"])
        #expect(queue.commit(job(5)).isEmpty && !queue.isIdle)
        #expect(words(queue.accepted(nil)) == ["accepted 3", "4", "commit 5"])
        #expect(words(queue.committed(nil, start)) == ["5"] && queue.isIdle)
    }

    @Test(
        "is tried one by one where a group is refused: what can never be is told, what cannot be now holds up the rest")
    func refused() {
        var queue = StoreQueue()
        _ = queue.commit(job(0))
        for number in 1...4 as ClosedRange<Int64> { _ = queue.commit(job(number, accepts: number == 1)) }
        _ = queue.committed(nil, start)
        #expect(words(queue.committed(full, start)) == ["commit 1"])
        #expect(words(queue.committed(full, start)) == ["alarm", "acceptFailed 1", "commit 2"])
        #expect(words(queue.committed(impossible, start)) == ["alarm", "refused", "commit 3"])
        #expect(words(queue.committed(full, start)) == ["alarm"])
        #expect(queue.tick(RigTime(nanoseconds: 999_999_999)).isEmpty && queue.commit(job(5)).isEmpty)
        let later = RigTime(nanoseconds: 1_000_000_000)
        #expect(words(queue.tick(later)) == ["commit 3"])
        #expect(words(queue.committed(nil, later)) == ["3", "commit 4"])
        #expect(words(queue.committed(nil, later)) == ["4", "commit 5"])
    }

    @Test("has all new captures refused at once where the catalogue takes nothing now")
    func refusedTogether() {
        var queue = StoreQueue()
        for number in 0...4 as ClosedRange<Int64> { _ = queue.commit(job(number, accepts: number != 2)) }
        _ = queue.committed(full, start)
        #expect(
            words(queue.committed(full, start)) == [
                "alarm", "acceptFailed 0", "acceptFailed 1", "acceptFailed 3", "acceptFailed 4", "commit 2",
            ])
    }

    @Test("is given up at the end where a disk takes nothing, and else brought to its end")
    func end() {
        var queue = StoreQueue()
        _ = queue.commit(job(1))
        #expect(queue.end(start).isEmpty)
        #expect(!queue.isIdle)
        #expect(words(queue.committed(full, start)) == ["commit 1"])
        #expect(words(queue.committed(full, start)) == ["alarm"] && queue.isIdle)
        var resting = StoreQueue()
        _ = resting.commit(job(1))
        _ = resting.committed(full, start)
        _ = resting.committed(full, start)
        _ = resting.archive(capture(1), then: [], start)
        _ = resting.archived(full, start)
        #expect(!resting.isIdle)
        #expect(resting.end(start).isEmpty)
        #expect(resting.isIdle)
    }

    @Test("is archived for several of its nodes at once, where it takes long")
    func archivePauses() {
        var queue = StoreQueue()
        let taken = start + .milliseconds(50)
        #expect(words(queue.archive(capture(7), then: [.report("a")], start)) == ["archive 7"])
        #expect(queue.archive(capture(7), then: [.report("b")], start).isEmpty)
        #expect(words(queue.archived(nil, taken)) == ["a"])
        #expect(queue.archive(capture(7), then: [.report("c")], taken).isEmpty)
        // Others do not wait for that.
        #expect(words(queue.archive(capture(9), then: [.report("d")], taken)) == ["archive 9"])
        #expect(words(queue.archived(nil, taken)) == ["d"])
        #expect(queue.tick(start + .milliseconds(249)).isEmpty)
        #expect(words(queue.tick(start + .milliseconds(250))) == ["archive 7"])
        #expect(words(queue.archived(nil, start + .milliseconds(300))) == ["b", "c"] && queue.isIdle)
    }

    @Test("is archived without a pause when the service ends")
    func archiveAtTheEnd() {
        var queue = StoreQueue()
        _ = queue.archive(capture(7), then: [], start)
        _ = queue.archive(capture(7), then: [.report("b")], start)
        #expect(queue.archived(nil, start + .seconds(5)).count == 1)
        #expect(words(queue.end(start + .seconds(5))) == ["archive 7"])
    }

    @Test("is archived as it is at its turn; one that fails holds up no other, and what waits for it is said once")
    func archives() {
        var queue = StoreQueue()
        #expect(words(queue.archive(capture(7), then: [.report("a")], start)) == ["archive 7"])
        #expect(queue.archive(capture(7), then: [.report("b"), .report("c")], start).isEmpty)
        #expect(queue.archive(capture(9), then: [.report("d")], start).isEmpty)
        #expect(words(queue.archived(full, start)) == ["alarm", "archive 9"])
        #expect(words(queue.archived(nil, start)) == ["d"])
        #expect(queue.archive(capture(7), then: [.report("b")], start).isEmpty && !queue.isIdle)
        let later = RigTime(nanoseconds: 1_000_000_000)
        #expect(words(queue.tick(later)) == ["archive 7"])
        #expect(words(queue.archived(nil, later)) == ["a", "b", "c"] && queue.isIdle)
    }

    @Test("is written in order; of a photo that fails nothing more, and nothing else is dropped")
    func disk() throws {
        var queue = StoreQueue()
        #expect(words(queue.write(.append([1], key(1), offset: 0))) == ["append 1 at 0"])
        for work in [
            .append([2], key(1), offset: 1), .append([1], key(2), offset: 0), .complete(pull(1)), .discard(key(3)),
        ] as [StoreQueue.Work] {
            #expect(queue.write(work).isEmpty)
        }
        #expect(words(queue.wrote(.appended, start)) == ["written 1 1", "append 1 at 1"])
        #expect(words(queue.wrote(.failed(full), start)) == ["alarm", "finished 1 false", "append 2 at 0"])
        #expect(words(queue.wrote(.appended, start)) == ["written 2 1", "discard 3"])
        #expect(queue.wrote(.discarded, start).isEmpty && queue.isIdle)
        #expect(words(queue.write(.locate(pull(1)))) == ["locate 1"])
        #expect(words(queue.wrote(.located(true), start)) == ["arrived 1"])
    }

    @Test("does not have photos fetched that its disk would not take, for longer each time, until it takes one")
    func rest() {
        let full = StoreFailure("full", .closedDisk)
        var (queue, now) = (StoreQueue(), start)
        func located() -> [String] {
            _ = queue.write(.locate(pull(1)))
            return words(queue.wrote(.located(false), now))
        }
        #expect(located() == ["enqueue 1"])
        for seconds in [1, 2, 4, 8, 10, 10] as [Int64] {
            // What fails together is one trial.
            for _ in 1...2 {
                _ = queue.write(.append([1], key(1), offset: 0))
                #expect(words(queue.wrote(.failed(full), now)) == ["alarm", "finished 1 false"])
            }
            // It is held, and once however often its node says that it has it.
            #expect(located() == [] && located() == [])
            now = now + .seconds(seconds) - 1
            #expect(queue.tick(now).isEmpty)
            now = now + 1
            #expect(words(queue.tick(now)) == ["enqueue 1"] && queue.tick(now).isEmpty)
            #expect(located() == ["enqueue 1"])
        }
        #expect(words(queue.published(key(2), path: "x", nil, now)) == ["arrived 2", "finished 2 true"])
        _ = queue.write(.append([1], key(1), offset: 0))
        _ = queue.wrote(.failed(full), now)
        now = now + .seconds(1)
        #expect(located() == ["enqueue 1"])
        // One photo alone tells nothing of the disk.
        _ = queue.write(.complete(pull(1)))
        #expect(words(queue.wrote(.failed(StoreFailure("differs")), now)) == ["alarm", "finished 1 false"])
        #expect(located() == ["enqueue 1"])
    }
}
