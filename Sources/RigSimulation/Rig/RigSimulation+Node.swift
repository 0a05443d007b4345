import CaptureModel
import NodeAgent
import PhotoStore
import Posix
import RigClock
import RigProtocol

/// What a node's program does around its machine.
extension RigSimulation {
    static let camera = CameraCapabilities(
        cameraID: "simulated", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
        dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: 33_000_000,
        formats: [.jpeg, .tiff, .dng],
        maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
    static let unplugged = CaptureError(.deviceWasDisconnected, "The camera was unplugged.")

    // MARK: Life

    func start(_ node: SimulatedNode) async throws {
        guard !node.isUp else { return }
        node.life += 1
        node.isUp = true
        node.started = now
        node.connections.control += 1
        node.connections.bulk += 1
        node.isBulkOpen = false
        if !isHealed {
            node.disk.faults.capacity = scenario.spoolCapacity
            node.disk.faults.syncFailure = scenario.syncFailure
            if scenario.diesInCalls { node.disk.die(afterCalls: Int.random(in: 1...60, using: &random)) }
        }
        do {
            let spool = try Spool(root: "/spool", files: node.disk)
            node.spool = spool
            node.machine = NodeMachine(
                name: node.name.text, instance: "\(node.life)", epoch: try await spool.epoch())
            for remains in try await spool.remains() {
                // A write that a crash cut off may have been whole.
                for event in remains.events { oracle.journalled(event, node.name.text) }
                try await take(.recovered(events: remains.events), node)
            }
        } catch is SystemError {
            return crash(node)
        }
        after(0, .nodeTick(node.index, life: node.life))
        after(.milliseconds(300), .camera(node.index, life: node.life, isBack: true))
    }

    /// Ends the program, or with it the board; what it had not synced may go.
    func crash(_ node: SimulatedNode) {
        guard node.isUp else { return }
        node.life += 1
        node.isUp = false
        let isPowerCut = Double.random(in: 0..<1, using: &random) < scenario.powerCutShare
        if isPowerCut { node.booted = now }
        node.disk.restart(afterPowerCut: isPowerCut)
        node.spool = nil
        (node.jobs, node.isWriting, node.prepared) = ([], false, [:])
        node.connections.control += 1
        node.connections.bulk += 1
        after(Int64.random(in: 100_000_000...4_000_000_000, using: &random), .startNode(node.index))
    }

    /// The board gets a new card, and its old name.
    func reimage(_ node: SimulatedNode) async throws {
        guard node.isUp else { return }
        crash(node)
        node.disk.erase()
        oracle.reimaged(node.name.text, try await oracle.known(of: node.name.text, keeper))
    }

    func tickNode(_ index: Int, _ life: Int) async throws {
        let node = nodes[index]
        guard node.life == life else { return }
        try await take(.tick, node)
        after(.milliseconds(250), .nodeTick(index, life: life))
    }

    // MARK: The machine

    private func monotonic(_ node: SimulatedNode) -> MonotonicTime { MonotonicTime(nanoseconds: now - node.booted) }

    /// The clock is known two seconds after either side began.
    private func clock(_ node: SimulatedNode) -> ClockReport {
        let isKnown = now - max(node.started, coordinator.booted) > .seconds(2)
        return ClockReport(
            estimate: ClockEstimate(
                status: isKnown ? .active : .calibrating,
                offsetNanoseconds: node.booted - coordinator.booted, boundNanoseconds: 50_000),
            phaseNanoseconds: 0)
    }

    func take(_ input: NodeMachine.Input, _ node: SimulatedNode) async throws {
        guard node.isUp else { return }
        sabotage.nodeBefore(&node.machine, input)
        for effect in node.machine.handle(input, now: monotonic(node), clock: clock(node)) {
            try await perform(effect, node)
        }
    }

    private func perform(_ effect: NodeMachine.Effect, _ node: SimulatedNode) async throws {
        switch effect {
        case .send(let message): send(message, from: node)
        case .openPlanes:
            node.isBulkOpen = true
            sayBulkHello(node)
        case .prepare(let prepare):
            let capture = SimulatedCapture(prepare)
            node.prepared[prepare.uniqueID] = capture
            let resolution = NodeMachine.Resolution(settings: capture.settings, timing: capture.timing)
            after(
                Int64.random(in: 1_000_000...150_000_000, using: &random),
                .resolved(node.index, life: node.life, prepare.uniqueID, .success(resolution)))
        case .fire(let id, let time, _): try fire(id, time, node)
        case .cancel, .align, .moveStart, .report: break
        case .abandon(let id): node.prepared[id] = nil
        case .journal(let event): add(.journal(event), node)
        case .keepEpoch(let epoch):
            try? await node.spool?.keep(epoch: epoch)
            if node.disk.isDead { crash(node) }
        case .recall:
            for id in (try? await node.spool?.captures()) ?? [] {
                try await take(.recalled(events: (try? await node.spool?.events(of: id)) ?? []), node)
            }
        case .reclaimPhoto(let id, let photoCount):
            try await oracle.acknowledged(id, node.name.text, photoCount, keeper, coordinator.disk)
            add(.reclaimPhoto(id, photoCount: photoCount), node)
        case .reclaimCapture(let id): add(.reclaimCapture(id), node)
        }
    }

    private func fire(_ id: UniqueID, _ time: MonotonicTime, _ node: SimulatedNode) throws {
        try oracle.fired(id, node.name.text)
        guard let capture = node.prepared.removeValue(forKey: id) else { return }
        let ahead = time - monotonic(node)
        let isBroken = Double.random(in: 0..<1, using: &random) < scenario.cameraFault
        let brokenFrom = isBroken ? Int.random(in: 1...capture.settings.exposures.count, using: &random) : nil
        let deliveries = capture.deliveries(brokenFrom: brokenFrom, start: time, node: node.name.text, &random)
        for (offset, delivery) in deliveries {
            after(max(0, ahead + offset), .delivered(node.index, life: node.life, delivery))
        }
        if brokenFrom != nil {
            after(ahead + .milliseconds(50), .camera(node.index, life: node.life, isBack: false))
            after(ahead + .seconds(3), .camera(node.index, life: node.life, isBack: true))
        }
    }

    // MARK: The spool, in order

    func add(_ job: SimulatedNode.SpoolJob, _ node: SimulatedNode) {
        node.jobs.append(job)
        guard !node.isWriting else { return }
        node.isWriting = true
        after(diskTime(), .spoolTurn(node.index, life: node.life))
    }

    func work(_ node: SimulatedNode) async throws {
        guard let spool = node.spool, !node.jobs.isEmpty else { return }
        let life = node.life
        var pause = diskTime()
        switch node.jobs.removeFirst() {
        case .deliver(let delivery):
            var event = delivery.event
            if let bytes = delivery.bytes { event.photo = await kept(event, bytes, spool) }
            guard !node.disk.isDead else { return crash(node) }
            let waiting = node.jobs
            node.jobs = []
            try await take(.captured(event), node)
            // The program makes an event durable before it takes the next one.
            node.jobs += waiting
        case .journal(let event):
            do throws(SystemError) {
                try await spool.append(event)
                oracle.journalled(event, node.name.text)
                try await takeJournalled(event, node)
            } catch {
                node.jobs.insert(.journal(event), at: 0)
                pause = .seconds(1)
            }
        case .reclaimPhoto(let id, let photoCount): try? await spool.reclaim(id, photoCount: photoCount)
        case .reclaimCapture(let id): try? await spool.reclaim(id)
        }
        if node.disk.isDead { return crash(node) }
        guard node.life == life else { return }
        node.isWriting = !node.jobs.isEmpty
        if node.isWriting { after(pause, .spoolTurn(node.index, life: node.life)) }
    }

    private func takeJournalled(_ event: CaptureEvent, _ node: SimulatedNode) async throws(SystemError) {
        do { try await take(.journalled(event), node) } catch { oracle.note(error) }
    }

    private func kept(
        _ event: NodeMachine.CapturedEvent, _ bytes: [UInt8], _ spool: Spool
    ) async -> PhotoRecord? {
        guard var record = event.photo else { return nil }
        do {
            let kept = try await spool.store(
                bytes, uniqueID: event.uniqueID, photoCount: record.photoCount, format: record.format)
            record.file = PhotoFile(
                byteCount: kept.byteCount, sha256: kept.sha256, dimensions: Dimensions(width: 64, height: 48),
                imageUniqueID: "\(event.uniqueID)-\(record.photoCount)")
        } catch {
            record.exposureStart = nil
            record.error = CaptureError(.storageFailed, "The node could not keep the photo: \(error)")
        }
        return record
    }

    func serve(_ request: ChunkRequest, _ node: SimulatedNode) async {
        guard let spool = node.spool else { return }
        var answer = Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
        var bytes: [UInt8] = []
        do {
            bytes = try await spool.read(
                request.uniqueID, photoCount: request.photoCount, offset: request.offset, length: request.length)
        } catch {
            answer.error = CaptureError(reading: error)
        }
        send(answer, bytes, from: node)
    }
}
