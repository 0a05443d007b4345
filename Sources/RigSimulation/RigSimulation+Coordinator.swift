import CaptureModel
import Catalogue
import Coordinator
import Library
import LibraryCare
import Posix
import RigProtocol
import RigRules
import SimulationKit

/// What the coordinator's program does around its machines.
extension RigSimulation {
    // MARK: Life

    func startCoordinator() async throws {
        guard !coordinator.isUp else { return }
        coordinator.life += 1
        coordinator.isUp = true
        if !isHealed {
            coordinator.disk.faults.capacity = scenario.libraryCapacity
            coordinator.disk.faults.syncFailure = scenario.syncFailure
            if scenario.diesInCalls { coordinator.disk.die(afterCalls: Int.random(in: 5...150, using: &random)) }
        }
        if coordinator.isRestored, let copy = backupCopy {
            try copy.backup(to: keeper, at: wallClock)
            backupCopy = nil
        }
        let catalogue = try Catalogue(
            inMemory: coordinator.catalogueName, startedAt: wallClock, rigTime: rigTime)
        coordinator.catalogue = catalogue
        do {
            let library = try Library(root: "/library", files: coordinator.disk)
            coordinator.library = library
        } catch {
            return crashCoordinator()
        }
        guard let isWhole = try await reconcile(), let library = coordinator.library,
            let run = try? await library.beginRun(
                startedAt: wallClock, formerRun: try catalogue.formerRunStart(), isWhole: isWhole)
        else { return crashCoordinator() }
        let transfers = TransferMachine(partials: try await library.partials(for: catalogue), limits: Self.limits)
        if coordinator.isRestored {
            // What the archives have has been restored.
            for node in nodes { oracle.forget(node.name, try await oracle.known(of: node.name, keeper)) }
            oracle.catalogueRestored()
            coordinator.isRestored = false
        }
        let rig = RigMachine(
            lastUniqueID: try catalogue.lastUniqueID(), lastNews: try catalogue.lastNews(),
            welcome: Welcome(clockPort: 1, bulkPort: 2, epoch: run.epoch, history: run.history),
            groups: scenario.groups)
        coordinator.machine = CoordinatorMachine(rig, transfers)
        coordinator.machine.tampering = sabotage.coordinator
        try take(.members(Members(active: nodes.map(\.name))))
        for id in try await catalogue.unfinishedCaptures() where !coordinator.withheld.contains(id) {
            try await load(id)
        }
        after(0, .coordinatorTick(life: coordinator.life))
    }

    /// - Returns: whether nothing had to be left as it is; nil if the service ends and is started again.
    private func reconcile() async throws -> Bool? {
        guard let library = coordinator.library, let catalogue = coordinator.catalogue else { return nil }
        let inspection = LibraryInspection(library.folder, catalogue)
        do {
            let repairs = try await inspection.repair(inspection.findingsSinceFormerRun(), now: wallClock)
            coordinator.withheld = Set(repairs.compactMap(\.withheld))
            return coordinator.disk.isDead ? nil : !repairs.contains { $0.outcome == .left }
        } catch is SystemError {
            return nil
        }
    }

    /// Small pieces, so that each photo has many.
    private static var limits: TransferMachine.Limits {
        var limits = TransferMachine.Limits()
        (limits.chunkSize, limits.credit, limits.slots) = (400, 2, 2)
        return limits
    }

    /// 30 days.
    private static let longestUptime = Int64.seconds(30 * 86_400)

    func crashCoordinator() {
        guard coordinator.isUp else { return }
        coordinator.life += 1
        coordinator.isUp = false
        let isPowerCut = Double.random(in: 0..<1, using: &random) < scenario.powerCutShare
        if isPowerCut {
            let uptime = scenario.replacesCoordinator ? Int64.random(in: 0...Self.longestUptime, using: &random) : 0
            coordinator.booted = now - uptime
        }
        coordinator.disk.restart(afterPowerCut: isPowerCut)
        oracle.coordinatorDied()
        (coordinator.library, coordinator.catalogue) = (nil, nil)
        for node in nodes { agenda.add(.reset(node.index), at: now + 1_000_000) }
        after(Int64.random(in: 100_000_000...4_000_000_000, using: &random), .startCoordinator)
    }

    func backup() throws {
        let copy = try Catalogue(
            inMemory: coordinator.catalogueName + "-copy", startedAt: 0, rigTime: RigTime(nanoseconds: 0))
        try keeper.backup(to: copy, at: wallClock)
        backupCopy = copy
    }

    /// Stops the coordinator, once it has finished what it is doing, to start again on the copy.
    func restoreBackup() {
        guard !isHealed, backupCopy != nil else { return }
        guard coordinator.isUp, coordinator.machine.isIdle else { return after(.milliseconds(50), .restore) }
        let share = scenario.powerCutShare
        scenario.powerCutShare = 0
        crashCoordinator()
        scenario.powerCutShare = share
        coordinator.isRestored = true
    }

    func tickCoordinator(_ life: Int) throws {
        guard coordinator.life == life else { return }
        try handle(.tick)
        try oracle.checkWaiting(now)
        after(.milliseconds(250), .coordinatorTick(life: life))
    }

    // MARK: The machine

    func take(_ input: RigInput) throws { try handle(.rig(input)) }

    func handle(_ input: CoordinatorMachine.Input) throws {
        guard coordinator.isUp else { return }
        for effect in coordinator.machine.handle(input, at: moment) {
            switch effect {
            case .send(let message, let peer): try send(message, to: peer)
            case .reply(let reply, let caller) where caller == Self.canceller:
                if case .fired(let cancelled) = reply { oracle.cancelled(cancelled.uniqueID) }
            case .reply(_, Self.photographer): break
            case .reply(.annotated, let caller) where caller.user == Self.annotator:
                oracle.annotated(caller.request)
                oracle.answered("note \(caller.request)")
            case .reply(.refused, let caller) where caller.user == Self.annotator:
                oracle.withdrew(note: caller.request)
                oracle.answered("note \(caller.request)")
            case .reply(.trash, let caller):
                oracle.ordered(caller.request)
                oracle.answered("order \(caller.request)")
            case .reply(_, let caller) where caller.user == Self.sweeper:
                oracle.refusedTrash(caller.request)
                oracle.answered("order \(caller.request)")
            case .reply(.cameras(let reply), let caller): try oracle.camerasAnswered(caller.request, reply)
            case .reply(_, let caller) where caller.user == Self.hand: oracle.camerasRefused(caller.request)
            case .reply(let reply, let caller): after(1_000_000, .answered(Int(caller.peer.routingID[1]), reply))
            case .request(let request, let peer): try self.request(request, from: peer)
            case .load(let id): after(diskTime(), .load(life: coordinator.life, id))
            case .work(let work): after(time(of: work), .work(life: coordinator.life, work))
            case .publish(let notice): try oracle.published(notice.number)
            case .preview, .report, .alarm: break
            }
        }
    }

    private func time(of work: StoreQueue.Work) -> Int64 {
        // Other publications overtake it.
        if case .publish = work { return diskTime() * 3 }
        return diskTime()
    }

    /// Does a piece of work, if catalogue and disk oblige.
    func perform(_ work: StoreQueue.Work) async throws {
        guard let catalogue = coordinator.catalogue, let library = coordinator.library else { return }
        if isDiskLost {
            // The library forgets that it was about to.
            if case .publish = work {
                let faults = coordinator.disk.faults
                coordinator.disk.faults.syncFailure = 1
                defer { coordinator.disk.faults = faults }
                return try end(await Stores(catalogue, library).perform(work))
            }
            return try end(work.failed(StoreFailure("the disk is read-only", .closedDisk)))
        }
        guard case .commit(let changes) = work else {
            return try end(await Stores(catalogue, library).perform(work))
        }
        if Double.random(in: 0..<1, using: &random) < scenario.catalogueFailure {
            return try end(.committed(StoreFailure("the catalogue is full")))
        }
        if scenario.refusesEvents, let refused = changes.first(where: { $0.isTheThirdEvent(of: nodes[0].name) }) {
            try oracle.refused(refused, now: now)
            return try end(.committed(StoreFailure("the schema does not allow it", .schema)))
        }
        let input = await Stores(catalogue, library).perform(work)
        if case .committed(let failure?) = input, failure.cause == .schema {
            throw Oracle.Violation("the schema refuses \(changes): \(failure.words)")
        }
        try oracle.committed(changes)
        try end(input)
    }

    /// Hands the result to the machine; the coordinator may die just before, when all is durable and nobody knows.
    private func end(_ input: CoordinatorMachine.Input) throws {
        let dies = scenario.diesInCalls && Int.random(in: 0..<80, using: &random) == 0
        if dies || coordinator.disk.isDead { return crashCoordinator() }
        try handle(input)
    }

    func load(_ id: UniqueID) async throws {
        guard let catalogue = coordinator.catalogue else { return }
        try take(.loaded(id, coordinator.withheld.contains(id) ? nil : try await catalogue.loaded(id)))
    }

    // MARK: Operators

    func ask(_ request: Int) async throws {
        // No answer within five seconds: ask again, as a person would.
        if oracle.ids[request] == nil, !oracle.isRefusedForGood(request) { after(.seconds(5), .ask(request)) }
        guard coordinator.isUp, let catalogue = coordinator.catalogue, oracle.ids[request] == nil else { return }
        let requestID = "request-\(request)"
        if !coordinator.machine.rig.knows(requestID), let known = try await catalogue.uniqueID(ofRequest: requestID) {
            return after(1_000_000, .answered(request, .fired(FireReply(uniqueID: known))))
        }
        let fire = FireRequest(
            requestID: requestID, plan: scenario.plan(of: request), session: "s\(request % 2)",
            labels: ["k": "\(request)"], queue: scenario.queues)
        try take(
            scenario.isArmed(request)
                ? .armRequested(Self.caller(request), ArmRequest(fire), freeBytes: 1 << 40)
                : .fireRequested(Self.caller(request), fire, freeBytes: 1 << 40))
    }

    /// The one at the shutter; whether it is heard is seen by what is fired.
    private static let photographer = Caller(peer: Peer(routingID: [7]), user: "photographer", request: 1)

    /// Presses the shutter, and again later: what has been fired has none any more.
    func press(_ id: UniqueID) throws {
        after(.seconds(3), .press(id))
        guard coordinator.isUp else { return }
        oracle.pressed(id)
        try take(.releaseRequested(Self.photographer, ReleaseRequest(uniqueID: id)))
    }

    /// The one who cancels; the answer belongs to none of the requests.
    private static let canceller = Caller(peer: Peer(routingID: [3]), user: "another", request: 1)

    func cancel(_ request: Int) throws {
        guard coordinator.isUp, let id = oracle.ids[request] else { return }
        try take(.cancelRequested(Self.canceller, id))
    }

    /// The one who writes notes, each with the number of the request.
    private static let annotator: NodeName = "annotator"

    func annotate(_ request: Int) async throws {
        guard coordinator.isUp, let id = oracle.ids[request], !coordinator.withheld.contains(id),
            try await coordinator.catalogue?.capture(id) != nil
        else { return }
        annotationCount += 1
        var annotation = Annotation()
        annotation.note = "\(annotationCount)"
        oracle.annotates(id, annotationCount)
        oracle.waits(for: "note \(annotationCount)", since: now)
        let caller = Caller(peer: Peer(routingID: [4]), user: Self.annotator, request: annotationCount)
        try take(.annotateRequested(caller, annotation, captures: [id], photos: []))
    }

    /// The one who deletes, puts back and empties, each with the number of the request.
    private static let sweeper: NodeName = "sweeper"

    func sweep(_ request: Int) async throws {
        guard coordinator.isUp, let id = oracle.ids[request], !coordinator.withheld.contains(id),
            let catalogue = coordinator.catalogue, let library = coordinator.library,
            let capture = try await catalogue.capture(id)
        else { return }
        let places = capture.photos.map { $0.place(in: id) }
        let trash = try library.folder.trash(places, of: id, createdAt: capture.summary.createdAt)
        let stored = capture.photos.filter { $0.path != nil }.map {
            PhotoID(uniqueID: id, node: $0.node, photoCount: $0.record.photoCount)
        }
        // As the operators' desk finds it.
        let acts: [TrashOrder.Act] =
            (capture.summary.deletedAt == nil ? [.delete] : [])
            + (stored.isEmpty ? [] : [.deletePhotos(Array(stored.prefix(2)))])
            + (trash.lost.isEmpty && capture.summary.deletedAt != nil ? [.recover()] : [])
            + (trash.isArranged && places.contains { $0.room == .trash } ? [.empty(deletedUntil: wallClock)] : [])
        guard let act = acts.randomElement(using: &random) else { return }
        orderCount += 1
        let order = TrashOrder(act, [id], by: Self.sweeper)
        oracle.orders(order, orderCount)
        oracle.waits(for: "order \(orderCount)", since: now)
        let caller = Caller(peer: Peer(routingID: [6]), user: Self.sweeper, request: orderCount)
        try take(.trashRequested(caller, order, TrashReply([], matchCount: 0)))
    }

    /// The one who sets cameras, with the number of the request.
    private static let hand: NodeName = "hand"

    func setCameras() throws {
        guard coordinator.isUp else { return }
        settingCount += 1
        var settings = CameraSettings()
        settings.iso = Double(100 * settingCount)
        oracle.setsCameras(settingCount, of: nodes.map(\.name))
        let caller = Caller(peer: Peer(routingID: [5]), user: Self.hand, request: settingCount)
        try take(.cameraRequested(caller, CameraRequest(act: .set, settings: settings)))
    }

    func answered(_ request: Int, _ reply: OperatorReply) throws {
        switch reply {
        case .fired(let fired): try oracle.accepted(request, fired.uniqueID)
        case .armed(let armed):
            try oracle.accepted(request, armed.uniqueID)
            after(Int64.random(in: 10_000_000...4_000_000_000, using: &random), .press(armed.uniqueID))
        case .refused(let refusal): try oracle.refused(request, refusal)
        case .checked, .annotated, .trash, .nodes, .clocks, .pending, .cameras: break
        }
    }
}

extension StoreQueue.Work {
    /// How it ends on a disk that takes nothing.
    fileprivate func failed(_ failure: StoreFailure) -> CoordinatorMachine.Input {
        switch self {
        case .commit: .committed(failure)
        case .accept: .accepted(failure)
        case .archive: .archived(failure)
        case .publish(let key, let path): .published(key, path: path, failure)
        case .append, .complete: .wrote(.failed(failure))
        // What is not there is fetched; what is to be removed goes later.
        case .locate: .wrote(.located(false))
        case .discard: .wrote(.discarded)
        }
    }
}

extension CatalogueChange {
    fileprivate func isTheThirdEvent(of teller: NodeName) -> Bool {
        if case .event(teller, let event) = self { event.sequence == 3 } else { false }
    }
}
