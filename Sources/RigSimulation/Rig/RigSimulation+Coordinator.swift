import CaptureModel
import Catalogue
import Coordinator
import PhotoStore
import Posix
import RigProtocol

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
        coordinator.transfers = TransferMachine(
            partials: try await library.partials(for: catalogue), limits: Self.limits)
        if coordinator.isRestored {
            // What the archives have is there again.
            for node in nodes { oracle.forget(node.name.text, try await oracle.known(of: node.name.text, keeper)) }
            coordinator.isRestored = false
        }
        coordinator.machine = RigMachine(
            lastUniqueID: try catalogue.lastUniqueID(),
            welcome: Welcome(clockPort: 1, bulkPort: 2, epoch: run.epoch, history: run.history))
        try await take(.members(nodes.map(\.name)))
        for id in try await catalogue.unfinishedCaptures() where !coordinator.withheld.contains(id) {
            try await load(id)
        }
        after(0, .coordinatorTick(life: coordinator.life))
    }

    /// - Returns: whether nothing had to be left; nil where the service ends, and is started again.
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

    /// Small pieces, so that photos have many.
    private static var limits: TransferMachine.Limits {
        var limits = TransferMachine.Limits()
        (limits.chunkSize, limits.credit, limits.slots) = (400, 2, 2)
        return limits
    }

    func crashCoordinator() {
        guard coordinator.isUp else { return }
        coordinator.life += 1
        coordinator.isUp = false
        let isPowerCut = Double.random(in: 0..<1, using: &random) < scenario.powerCutShare
        if isPowerCut { coordinator.booted = now }
        coordinator.disk.restart(afterPowerCut: isPowerCut)
        (coordinator.library, coordinator.catalogue) = (nil, nil)
        (coordinator.commits, coordinator.isCommitting) = ([], false)
        (coordinator.diskJobs, coordinator.isWriting, coordinator.finishing) = ([], false, [])
        for node in nodes { agenda.add(.reset(node.index), at: now + 1_000_000) }
        after(Int64.random(in: 100_000_000...4_000_000_000, using: &random), .startCoordinator)
    }

    func backup() throws {
        let copy = try Catalogue(
            inMemory: coordinator.catalogueName + "-copy", startedAt: 0, rigTime: RigTime(nanoseconds: 0))
        try keeper.backup(to: copy, at: wallClock)
        backupCopy = copy
    }

    /// An operator stops the coordinator, which finishes what it is at, and will start it on the copy.
    func restoreBackup() {
        guard !isHealed, backupCopy != nil else { return }
        guard coordinator.isUp, coordinator.commits.isEmpty, !coordinator.isCommitting, coordinator.diskJobs.isEmpty,
            !coordinator.isWriting, coordinator.finishing.isEmpty
        else { return after(.milliseconds(50), .restore) }
        let share = scenario.powerCutShare
        scenario.powerCutShare = 0
        crashCoordinator()
        scenario.powerCutShare = share
        coordinator.isRestored = true
    }

    func tickCoordinator(_ life: Int) async throws {
        guard coordinator.life == life else { return }
        try await take(.tick)
        try await apply(coordinator.transfers.tick(now: rigTime))
        after(.milliseconds(250), .coordinatorTick(life: life))
    }

    // MARK: The machines

    func take(_ input: RigInput) async throws {
        guard coordinator.isUp else { return }
        sabotage.coordinatorBefore(&coordinator.machine, input)
        let effects = coordinator.machine.handle(input, now: rigTime, wallClock: wallClock)
        try await apply(sabotage.coordinatorEffects(effects))
    }

    func apply(_ effects: [RigEffect]) async throws {
        for effect in effects {
            switch effect {
            case .send(let message, let peer): send(message, to: peer)
            case .reply(let reply, let client):
                after(1_000_000, .answered(Int(client.routingID[1]), reply))
            case .publish, .report: break
            case .commit(let changes, let then):
                add(SimulatedCoordinator.CommitJob(changes: changes, then: then))
            case .accept(let id, let changes): add(SimulatedCoordinator.CommitJob(changes: changes, accepting: id))
            case .pull(let pull): add(.look(pull))
            case .stopPulling(let node):
                try await apply(coordinator.transfers.close(node, now: rigTime))
            case .archive(let id, let then): add(.archive(id, then: then))
            case .load(let id): after(diskTime(), .load(life: coordinator.life, id))
            }
        }
    }

    func apply(_ effects: [TransferMachine.Effect], chunk: [UInt8] = []) async throws {
        for effect in effects {
            switch effect {
            case .request(let request, let peer): self.request(request, from: peer)
            case .append(let key, let offset): add(.append(chunk, key, offset: offset))
            case .finish(let pull): add(.finish(pull))
            case .discard(let key): add(.discard(key))
            case .fail(let key, let error): try await take(.photoFailed(key, error))
            }
        }
    }

    func receive(_ chunk: Chunk, _ bytes: [UInt8], _ node: String) async throws {
        let effects = coordinator.transfers.chunk(chunk, byteCount: bytes.count, from: node, now: rigTime)
        if !effects.isEmpty {
            try await take(
                .progress(Library.Key(uniqueID: chunk.uniqueID, node: node, photoCount: chunk.photoCount)))
        }
        try await apply(effects, chunk: bytes)
    }

    func load(_ id: UniqueID) async throws {
        guard let catalogue = coordinator.catalogue else { return }
        guard !coordinator.withheld.contains(id), let detail = try await catalogue.capture(id),
            let plan = try await catalogue.plan(of: id)
        else { return try await take(.loaded(id, nil)) }
        try await take(.loaded(id, try LoadedCapture(detail, plan: plan)))
    }

    // MARK: The catalogue, in groups

    private func add(_ job: SimulatedCoordinator.CommitJob) {
        coordinator.commits.append(job)
        guard !coordinator.isCommitting else { return }
        coordinator.isCommitting = true
        drainCommits()
    }

    private func drainCommits() {
        let jobs = coordinator.commits
        coordinator.commits = []
        coordinator.isCommitting = !jobs.isEmpty
        if !jobs.isEmpty { after(diskTime(), .commitTurn(life: coordinator.life, jobs, alone: false)) }
    }

    func commit(_ jobs: [SimulatedCoordinator.CommitJob], alone: Bool) async throws {
        guard let catalogue = coordinator.catalogue else { return }
        let life = coordinator.life
        let group = alone ? Array(jobs.prefix(1)) : jobs
        let changes = group.flatMap(\.changes)
        do {
            if Double.random(in: 0..<1, using: &random) < scenario.catalogueFailure { throw CatalogueFailure() }
            if !changes.isEmpty { try await catalogue.commit(changes) }
        } catch {
            return try await retry(jobs, alone: alone, error)
        }
        try oracle.committed(changes)
        // It may die when all is durable and nobody knows.
        if scenario.diesInCalls, Int.random(in: 0..<40, using: &random) == 0 { return crashCoordinator() }
        for job in group {
            try await apply(job.then)
            guard let id = job.accepting else { continue }
            var outcome = RigInput.accepted(id)
            do { try await coordinator.library?.accept(id, as: catalogue) } catch {
                outcome = .acceptFailed(id, reason: "\(error)")
            }
            if coordinator.disk.isDead { return crashCoordinator() }
            try await take(outcome)
        }
        guard coordinator.life == life else { return }
        if alone, jobs.count > 1 {
            after(diskTime(), .commitTurn(life: life, Array(jobs.dropFirst()), alone: true))
        } else {
            drainCommits()
        }
    }

    private struct CatalogueFailure: Error {}

    private func retry(_ jobs: [SimulatedCoordinator.CommitJob], alone: Bool, _ error: any Error) async throws {
        guard alone, let job = jobs.first else {
            return after(0, .commitTurn(life: coordinator.life, jobs, alone: true))
        }
        var rest = jobs
        if let id = job.accepting {
            rest.removeFirst()
            try await take(.acceptFailed(id, reason: "\(error)"))
        } else if Catalogue.isPermanent(error) {
            throw Oracle.Violation("the schema refuses \(job.changes): \(error)")
        }
        after(.seconds(1), .commitTurn(life: coordinator.life, rest, alone: true))
    }

    // MARK: The disk, in order

    private func add(_ job: SimulatedCoordinator.DiskJob) {
        coordinator.diskJobs.append(job)
        guard !coordinator.isWriting else { return }
        coordinator.isWriting = true
        after(diskTime(), .diskTurn(life: coordinator.life))
    }

    func writeNext() async throws {
        guard let library = coordinator.library, !coordinator.diskJobs.isEmpty else { return }
        let life = coordinator.life
        switch coordinator.diskJobs.removeFirst() {
        case .append(let bytes, let key, let offset):
            do {
                try await library.append(bytes, to: key, at: offset)
                if coordinator.disk.isDead { return crashCoordinator() }
                try await apply(coordinator.transfers.written(key, byteCount: bytes.count, now: rigTime))
            } catch let error as Library.Failure {
                if coordinator.disk.isDead { return crashCoordinator() }
                try await failed(key, error)
            }
        case .look(let pull) where coordinator.finishing.contains(pull.key): break
        case .look(let pull):
            let isThere = await library.has(pull.path, byteCount: pull.file.byteCount, sha256: pull.file.sha256)
            if coordinator.disk.isDead { return crashCoordinator() }
            if isThere {
                try await take(.photoArrived(pull.key, path: pull.path))
            } else {
                try await apply(coordinator.transfers.enqueue(pull, now: rigTime))
            }
        case .finish(let pull):
            do throws(Library.Failure) {
                let arrival = try await library.complete(
                    pull.key, sha256: pull.file.sha256, byteCount: pull.file.byteCount, path: pull.path)
                if coordinator.disk.isDead { return crashCoordinator() }
                coordinator.finishing.insert(pull.key)
                // Others of its kind overtake it.
                after(diskTime() * 3, .publishTurn(life: life, arrival, path: pull.path))
            } catch {
                if coordinator.disk.isDead { return crashCoordinator() }
                try await failed(pull.key, error)
            }
        case .discard(let key):
            await library.discard(key)
            if coordinator.disk.isDead { return crashCoordinator() }
        case .archive(let id, let then):
            guard let catalogue = coordinator.catalogue else { return }
            var isKept = true
            do { try await library.keep(id, as: catalogue) } catch { isKept = false }
            if coordinator.disk.isDead { return crashCoordinator() }
            if isKept { try await apply(then) } else { coordinator.diskJobs.append(.archive(id, then: then)) }
        }
        guard coordinator.life == life else { return }
        coordinator.isWriting = !coordinator.diskJobs.isEmpty
        if coordinator.isWriting { after(diskTime(), .diskTurn(life: life)) }
    }

    func publish(_ arrival: Library.Arrival, as path: String) async throws {
        coordinator.finishing.remove(arrival.key)
        do {
            try await coordinator.library?.publish(arrival)
            if coordinator.disk.isDead { return crashCoordinator() }
            try await take(.photoArrived(arrival.key, path: path))
            try await apply(coordinator.transfers.finished(arrival.key, error: nil, now: rigTime))
        } catch let error as Library.Failure {
            if coordinator.disk.isDead { return crashCoordinator() }
            try await failed(arrival.key, error)
        }
    }

    private func failed(_ key: Library.Key, _ error: Library.Failure) async throws {
        let failure = CaptureError(.transferFailed, "The photo could not be stored yet; its node keeps it: \(error)")
        try await apply(coordinator.transfers.finished(key, error: failure, now: rigTime))
    }

    // MARK: Operators

    func ask(_ request: Int) async throws {
        // No answer within some seconds: the same request again, as a person would.
        if oracle.ids[request] == nil, !oracle.isRefusedForGood(request) { after(.seconds(5), .ask(request)) }
        guard coordinator.isUp, let catalogue = coordinator.catalogue, oracle.ids[request] == nil else { return }
        let plan = Self.plan(request, nodes.count, scenario.seed)
        let requestID = "request-\(request)"
        if !coordinator.machine.knows(requestID), let known = try await catalogue.uniqueID(ofRequest: requestID) {
            return after(1_000_000, .answered(request, .fired(FireReply(uniqueID: known))))
        }
        let fire = FireRequest(
            requestID: requestID, plan: plan, session: "s\(request % 2)", labels: ["k": "\(request)"])
        try await take(.fireRequested(Self.client(request), fire, freeBytes: 1 << 40))
    }

    private static func plan(_ request: Int, _ nodeCount: Int, _ seed: UInt64) -> Plan {
        let kind = Int(seed % 7) + request
        guard let bracket = try? Bracket.burst(1 + kind % 3) else { preconditionFailure("it is a bracket") }
        let policies: [CapturePolicy] = [.bestEffort, .all, .atLeast(max(1, nodeCount - 1))]
        return Plan(
            name: "p\(request)", bracket: bracket, formats: kind % 2 == 0 ? [.tiff, .dng] : [.jpeg],
            policy: policies[kind % 3])
    }

    func answered(_ request: Int, _ reply: OperatorReply) throws {
        switch reply {
        case .fired(let fired): try oracle.accepted(request, fired.uniqueID)
        case .refused: oracle.refused(request)
        case .nodes, .clocks: break
        }
    }
}
