import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

@Suite("What a node's spool is given to do")
struct BoardMachineTests {
    private var board = BoardMachine(NodeMachine(name: "north", instance: "i1"))
    private var now = MonotonicTime(nanoseconds: .seconds(1000))
    private let full = StoreFailure("write: no space left on device: x")

    private func id(_ number: Int64) -> UniqueID { UniqueID(rawValue: number) }

    private mutating func handle(_ input: BoardMachine.Input) -> [BoardMachine.Effect] {
        board.handle(
            input, now: now,
            clock: ClockReport(estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1000)))
    }

    /// In words: what the spool is to do, and what is sent.
    private mutating func words(_ input: BoardMachine.Input) -> [String] {
        handle(input).compactMap { effect in
            switch effect {
            case .work(.keep(let delivery)): "keep \(delivery.event.uniqueID)"
            case .work(.append(let event)): "append \(event.uniqueID) \(event.sequence)"
            case .work(.keepEpoch(let epoch)): "epoch \(epoch)"
            case .work(.reclaimPhoto(let id, let photoCount)): "free \(id) \(photoCount)"
            case .work(.reclaimCapture(let id)): "free \(id)"
            case .work(.recall): "recall"
            case .work(.measure): "measure"
            case .send(.event(let report)): "send \(report.event.uniqueID) \(report.event.sequence)"
            case .send(let message): "send \(type(of: message.body).type)"
            case .alarm: "alarm"
            case .openPlanes: "open"
            case .prepare, .fire, .moveStart, .identify, .camera, .align, .cancel, .abandon, .report: nil
            }
        }
    }

    private mutating func join(epoch: Int64 = 1, history: Int64 = 1) -> [String] {
        words(
            .node(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2, epoch: epoch, history: history)))))
    }

    private func event(_ number: Int64, _ kind: CaptureEventKind) -> SpoolQueue.Delivery {
        SpoolQueue.Delivery(event: NodeMachine.CapturedEvent(uniqueID: id(number), kind: kind, time: now))
    }

    private func photo(_ number: Int64) -> SpoolQueue.Delivery {
        var delivery = event(number, .didFinishProcessingPhoto)
        delivery.event.photo = PhotoRecord(
            photoCount: 1, sequenceCount: 1, format: .jpeg,
            requested: ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil))
        delivery.file = SpoolQueue.File(bytes: [1], dimensions: Dimensions(width: 1, height: 1), imageUniqueID: "")
        return delivery
    }

    /// The event that the spool is given to append.
    private mutating func appended(_ input: BoardMachine.Input) throws -> CaptureEvent {
        let events = handle(input).compactMap { if case .work(.append(let event)) = $0 { event } else { nil } }
        return try #require(events.first)
    }

    @Test("a photo before its event, and an event before the next one is taken")
    mutating func order() throws {
        _ = join(epoch: 0)
        let first = try appended(.delivered(event(1, .willBeginCapture)))
        #expect(words(.delivered(photo(1))) == [], "the first is not durable yet")
        #expect(words(.appended(first, nil)) == ["send 1 1", "keep 1"])
        var kept = photo(1).event
        kept.photo?.file = PhotoFile(
            byteCount: 1, sha256: "", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: "")
        let second = try appended(.kept(kept))
        #expect(second.sequence == 2 && second.photo?.file != nil)
        #expect(!board.isQuiet)
        #expect(words(.appended(second, nil)) == ["send 1 2"])
        #expect(board.isQuiet && board.isSpoolIdle)
    }

    @Test("a journal that cannot be written again after a second, and meanwhile those of others")
    mutating func fullDisk() throws {
        _ = join(epoch: 0)
        let first = try appended(.delivered(event(1, .willBeginCapture)))
        #expect(words(.appended(first, full)) == ["alarm"])
        #expect(words(.delivered(event(1, .willCapturePhoto))) == [])
        #expect(words(.delivered(event(2, .willBeginCapture))) == ["append 2 1"])
        #expect(!words(.tick).contains("append 1 1"))
        now = now + .seconds(1)
        #expect(words(.tick).contains("append 1 1"))
        #expect(words(.appended(first, nil)) == ["send 1 1", "append 1 2"])
    }

    /// Has stored a capture of one event and one photo.
    private mutating func store(_ number: Int64) throws -> [String] {
        var kept = photo(number).event
        kept.photo?.file = PhotoFile(
            byteCount: 1, sha256: "", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: "")
        let first = try appended(.delivered(SpoolQueue.Delivery(event: kept)))
        _ = words(.appended(first, nil))
        let last = try appended(.delivered(event(number, .didFinishCapture)))
        _ = words(.appended(last, nil))
        return words(.node(.received(.stored(Stored(uniqueID: id(number), sequences: [1, 2])))))
    }

    @Test("what is stored to free, one after the other")
    mutating func freeing() throws {
        _ = join(epoch: 0)
        #expect(try store(1) == ["free 1 1"])
        #expect(words(.reclaimed(nil)) == ["free 1"])
        #expect(!board.isSpoolIdle)
        #expect(words(.reclaimed(full)) == ["alarm", "measure"])
        #expect(board.isSpoolIdle)
    }

    @Test("nothing more to free once all is to be said again to a coordinator that forgot")
    mutating func recall() throws {
        _ = join(epoch: 0)
        #expect(try store(1) == ["free 1 1"])
        #expect(!join(epoch: 0, history: 2).contains("recall"), "what is being freed comes first")
        #expect(words(.reclaimed(nil)) == ["recall"])
        let event = CaptureEvent(uniqueID: id(1), sequence: 1, kind: .willBeginCapture, time: now)
        #expect(words(.recalled([[event]], full)) == ["alarm", "send 1 1"])
        #expect(!board.isSpoolIdle, "one of them could not be read")
        now = now + .seconds(60)
        #expect(words(.tick).contains("recall"))
        #expect(words(.recalled([], nil)) == [])
        #expect(board.isSpoolIdle)
    }

    @Test("nothing more to free from the moment on at which a coordinator begins anew that forgot")
    mutating func recallOfNewRun() throws {
        _ = join(epoch: 0)
        #expect(try store(1) == ["free 1 1"])
        #expect(join(epoch: 2, history: 2) == ["epoch 2"])
        #expect(words(.reclaimed(nil)) == ["recall"], "the capture itself is not freed")
        let event = CaptureEvent(uniqueID: id(1), sequence: 1, kind: .willBeginCapture, time: now)
        #expect(words(.recalled([[event]], nil)) == [], "nobody is obeyed yet")
        #expect(words(.epochKept(nil)) == ["open", "send 1 1"])
    }

    @Test("whom the node obeys, before it does anything for it")
    mutating func epoch() {
        #expect(join(epoch: 7) == ["epoch 7"])
        #expect(words(.node(.cameraLost(full.asCameraError))) == [])
        #expect(words(.epochKept(nil)) == ["open", "send hello"])
    }
}

extension StoreFailure {
    fileprivate var asCameraError: CaptureError { CaptureError(.deviceFailed, "\(self)") }
}
