package import CaptureModel
package import RigProtocol

/// What a coordinator does about whatever happens to it; pure.
///
/// Machines that work together: ``RigMachine`` decides on captures, ``TransferMachine`` on which piece of which photo is
/// asked for next, ``StoreQueue`` on what the disks do and what waits for them; ``PreviewMachine``, beside them, on which
/// camera is looked through. What they say to each other stays in here; the rest is to be done outside.
///
/// ```
/// nodes, operators, time ---> RigMachine --commit, archive--> StoreQueue ---> catalogue, library
///                               |    ^ arrived, failed          ^   |
///                          pull v    |            append, finish|   | written, finished
///                            TransferMachine -------------------+<--+
/// ```
package struct CoordinatorMachine: Sendable {
    /// What happens.
    package enum Input: Sendable {
        case tick
        case rig(RigInput)
        /// A node's bulk plane is open.
        case bulkOpened(node: NodeName, Peer)
        case chunk(Chunk, [UInt8], node: NodeName)
        case previewsRequested(Caller, PreviewsRequest)
        case preview(Preview, [UInt8], node: NodeName)
        // How work ended, see StoreQueue.Work.
        case committed(StoreFailure?)
        case accepted(StoreFailure?)
        case archived(StoreFailure?)
        case wrote(StoreQueue.Written)
        case published(PhotoID, path: String, StoreFailure?)
        /// Nobody is listened to any more: what can be written is written, and nothing new is begun.
        case ended
    }

    /// What is to be done outside, in this order.
    package enum Effect: Sendable {
        case send(CoordinatorMessage, to: Peer)
        case reply(OperatorReply, to: Caller)
        case publish(Notice)
        case request(ChunkRequest, from: Peer)
        case preview(PreviewMachine.Effect)
        /// Look a capture up in the catalogue: ``RigInput/loaded(_:_:)``.
        case load(UniqueID)
        case work(StoreQueue.Work)
        case report(Report)
        /// Something is wrong with a disk.
        case alarm(String)
    }

    /// A catalogue that has taken nothing for this long is busy with something else; after the longest of these times
    /// it is broken. In nanoseconds.
    private static let busy = Int64.seconds(2)...Int64.seconds(600)

    /// The machine that decides on captures; outside it is only looked into.
    package private(set) var rig: RigMachine
    private var transfers: TransferMachine
    private var stores = StoreQueue()
    private var previews = PreviewMachine()
    private var effects: [Effect] = []
    /// Since when changes have been waiting for the catalogue while it took none.
    private var busySince: RigTime?
    private var moment = Moment(rigTime: RigTime(nanoseconds: 0), utc: 0)
    /// Changes what the machines do, where a test plants a bug.
    package var tampering: Tampering?

    package init(_ rig: RigMachine, _ transfers: TransferMachine) {
        (self.rig, self.transfers) = (rig, transfers)
    }

    /// Whether all that was to be stored is stored, except for what the disks do not take at the end.
    package var isIdle: Bool { stores.isIdle }

    /// Why the catalogue takes nothing, while it is tried again and again; nil while it takes what it is given.
    package var storeFailure: StoreFailure? { stores.failure }

    /// What of photos is still to come.
    package var outlook: TransferOutlook { transfers.outlook }

    /// How the rig is, in numbers.
    package var metrics: [MetricFamily] {
        var queues = MetricFamily.gauge("volley_queue_length", "What waits for its turn.")
        let counts = stores.waitingCounts.merging(["photos": transfers.waitingCount]) { one, _ in one }
        for (queue, count) in counts { queues.add(Double(count), ["queue": queue]) }
        return rig.metrics + [queues]
    }

    private var now: RigTime { moment.rigTime }

    /// Takes what happened and says what to do.
    package mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        self.moment = moment
        take(input)
        busySince = stores.isCommitting ? busySince ?? now : nil
        defer { effects = [] }
        return Self.gathered(effects)
    }

    /// Tells a node in one message all of a capture that was stored in one turn: a commit has many nodes' events.
    private static func gathered(_ effects: [Effect]) -> [Effect] {
        struct Addressee: Hashable {
            let peer: Peer
            let id: UniqueID
        }
        var sequences: [Addressee: [Int]] = [:]
        for case .send(.stored(let stored), let peer) in effects {
            sequences[Addressee(peer: peer, id: stored.uniqueID), default: []] += stored.sequences
        }
        return effects.compactMap { effect in
            guard case .send(.stored(let stored), let peer) = effect else { return effect }
            return sequences.removeValue(forKey: Addressee(peer: peer, id: stored.uniqueID)).map {
                .send(.stored(Stored(uniqueID: stored.uniqueID, sequences: $0)), to: peer)
            }
        }
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .tick:
            if let since = busySince, Self.busy.contains(now - since) { tell(.catalogueIsBusy) }
            for node in transfers.standing { for key in transfers.captures(of: node) { tell(.progress(key)) } }
            tell(.tick)
            follow(transfers.tick(now: now))
            follow(stores.tick(now))
            effects += previews.tick(now: now) { transfers.isCrowded($0) }.map(Effect.preview)
        case .rig(let input): tell(input)
        case .bulkOpened(let node, let peer):
            follow(transfers.open(node, on: peer, now: now))
            effects += previews.open(node, on: peer, now: now).map(Effect.preview)
        case .previewsRequested(let caller, let request):
            effects += previews.request(request, from: caller, now: now).map(Effect.preview)
        case .preview(let preview, let bytes, let node):
            tell(.heard(node))
            effects += previews.preview(preview, bytes, from: node, now: now).map(Effect.preview)
        case .chunk(let chunk, let bytes, let node):
            tell(.heard(node))
            let next = transfers.chunk(chunk, byteCount: bytes.count, from: node, now: now)
            // Bytes are progress, also for what waits behind them on the same wire.
            if !next.isEmpty { for key in transfers.captures(of: node) { tell(.progress(key)) } }
            if !next.isEmpty {
                tell(.progress(PhotoID(uniqueID: chunk.uniqueID, node: node, photoCount: chunk.photoCount)))
            }
            follow(next, chunk: bytes)
        case .committed(let failure):
            if failure == nil { busySince = nil }
            follow(stores.committed(failure, now))
        case .accepted(let failure): follow(stores.accepted(failure))
        case .archived(let failure): follow(stores.archived(failure, now))
        case .wrote(let written): follow(stores.wrote(written, now))
        case .published(let key, let path, let failure): follow(stores.published(key, path: path, failure, now))
        case .ended: follow(stores.end(now))
        }
    }

    private mutating func tell(_ input: RigInput) {
        tampering?.before(&rig, input)
        let next = rig.handle(input, at: moment)
        follow(tampering?.effects(next) ?? next)
    }

    private mutating func follow(_ next: [RigEffect]) {
        for effect in next {
            switch effect {
            case .send(let message, let peer): effects.append(.send(message, to: peer))
            case .reply(let reply, let caller): effects.append(.reply(reply, to: caller))
            case .publish(let notice): effects.append(.publish(notice))
            case .report(let report): effects.append(.report(report))
            case .load(let id): effects.append(.load(id))
            case .commit(let changes, let then): follow(stores.commit(.init(changes: changes, then: then)))
            case .act(let changes, let caller, let then):
                follow(
                    stores.commit(.init(changes: changes, then: then, act: StoreQueue.Act(caller: caller, since: now))))
            case .accept(let id, let changes): follow(stores.commit(.init(changes: changes, accepting: id)))
            case .archive(let id, let then): follow(stores.archive(id, then: then, now))
            case .pull(let pull): follow(stores.write(.locate(pull)))
            case .stopPulling(let node):
                follow(transfers.close(node, now: now))
                previews.close(node)
            }
        }
    }

    private mutating func follow(_ next: [TransferMachine.Effect], chunk: [UInt8] = []) {
        for effect in tampering?.transfers(next) ?? next {
            switch effect {
            case .request(let request, let peer): effects.append(.request(request, from: peer))
            case .append(let key, let offset): follow(stores.write(.append(chunk, key, offset: offset)))
            case .finish(let pull): follow(stores.write(.complete(pull)))
            case .discard(let key): follow(stores.write(.discard(key)))
            case .fail(let key, let error): tell(.photoFailed(key, error))
            }
        }
    }

    private mutating func follow(_ next: [StoreQueue.Output]) {
        for output in tampering?.stores(next) ?? next {
            switch output {
            case .work(let work): effects.append(.work(work))
            case .effects(let next): follow(next)
            case .alarm(let text): effects.append(.alarm(text))
            case .input(let input): tell(input)
            case .enqueue(let pull): follow(transfers.enqueue(pull, now: now))
            case .written(let key, let byteCount):
                follow(transfers.written(key, byteCount: byteCount, now: now))
            case .finished(let key, let ending): follow(transfers.finished(key, ending, now: now))
            }
        }
    }
}

extension CoordinatorMachine {
    /// A bug that is planted on purpose, to show that it is found.
    package struct Tampering: Sendable {
        /// Changes the rig before something happens to it.
        package var before: @Sendable (inout RigMachine, RigInput) -> Void = { _, _ in }
        /// Changes what the rig wants done.
        package var effects: @Sendable ([RigEffect]) -> [RigEffect] = { $0 }
        /// Changes what transfers want done.
        package var transfers: @Sendable ([TransferMachine.Effect]) -> [TransferMachine.Effect] = { $0 }
        /// Changes what follows from what the disks did.
        var stores: @Sendable ([StoreQueue.Output]) -> [StoreQueue.Output] = { $0 }

        package init() {}
    }
}
