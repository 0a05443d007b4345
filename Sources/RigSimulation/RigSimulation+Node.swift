import CaptureModel
import NodeAgent
import Posix
import RigClock
import RigProtocol
import RigRules
import SimulatedCamera
import SimulationKit
import Spool

/// What a node's program does around its machine.
extension RigSimulation {
    static let camera = CameraCapabilities(
        cameraID: "simulated", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
        dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: SimulatedCapture.frame,
        formats: [.jpeg, .tiff, .dng],
        exposureDurationRange: ExposureDuration(
            nanoseconds: 50_000)...ExposureDuration(nanoseconds: SimulatedCapture.frame),
        isoRange: 100...1600, maxBracketedCapturePhotoCount: 8, controlDelays: SimulatedCapture.delays)
    private static let unready = CaptureError(.storageFailed, "The spool could not be read.")
    static let unplugged = CaptureError(.deviceWasDisconnected, "The camera was unplugged.")

    // MARK: Life

    func start(_ node: SimulatedNode) async throws {
        guard !node.isUp else { return }
        node.life += 1
        node.isUp = true
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
            node.machine = BoardMachine(
                NodeMachine(name: node.name, instance: "\(node.life)", epoch: try await spool.epoch()))
            node.machine.tampering = sabotage.node
            for remains in try await spool.remains() {
                // A write that a crash interrupted may have been complete.
                for event in remains.events { oracle.journalled(event, node.name) }
                try take(.recovered(events: remains.events), node)
            }
        } catch is SystemError {
            return crash(node)
        }
        after(0, .nodeTick(node.index, life: node.life))
        after(0, .probe(node.index, life: node.life))
        after(.milliseconds(300), .camera(node.index, life: node.life, isBack: true))
    }

    /// Kills the program, or the whole board; what was not synced may be lost then.
    func crash(_ node: SimulatedNode) {
        guard node.isUp else { return }
        node.life += 1
        node.isUp = false
        let isPowerCut = Double.random(in: 0..<1, using: &random) < scenario.powerCutShare
        if isPowerCut { node.clock = scenario.clock(of: node.index, booted: now) }
        node.filter.reset()
        node.disk.restart(afterPowerCut: isPowerCut)
        node.spool = nil
        (node.deliveryCount, node.prepared, node.exposing) = (0, [:], [:])
        node.connections.control += 1
        node.connections.bulk += 1
        after(Int64.random(in: 100_000_000...4_000_000_000, using: &random), .startNode(node.index))
    }

    /// Gives the board a new card under its old name.
    func reimage(_ node: SimulatedNode) async throws {
        guard node.isUp else { return }
        crash(node)
        node.disk.erase()
        oracle.reimaged(node.name, try await oracle.known(of: node.name, keeper))
    }

    func tickNode(_ index: Int, _ life: Int) throws {
        let node = nodes[index]
        guard node.life == life else { return }
        try handle(.tick, node)
        after(.milliseconds(250), .nodeTick(index, life: life))
    }

    // MARK: The machine

    private func monotonic(_ node: SimulatedNode) -> MonotonicTime { node.clock.local(now) }

    private func clock(_ node: SimulatedNode) -> ClockReport {
        ClockReport(
            estimate: node.filter.estimate(at: monotonic(node)), probes: node.filter.statistics, phaseNanoseconds: 0)
    }

    func probe(_ node: SimulatedNode, _ life: Int) {
        guard node.life == life else { return }
        after(node.filter.interval, .probe(node.index, life: life))
        let isBlocked = max(blockedUntil[node.index].toNode, blockedUntil[node.index].toCoordinator) > now
        let isLost = Double.random(in: 0..<1, using: &random) < scenario.loss
        guard coordinator.isUp, node.isBulkOpen, !isBlocked, !isLost,
            let (probe, returned) = node.path.probe(node.clock, at: now, boot: coordinator.booted)
        else { return }
        agenda.add(.probed(node.index, life: life, probe), at: returned)
    }

    /// Checks that a start lies within its uncertainty, in the rig time of the coordinator that fired the capture.
    private func checkStart(_ event: CaptureEvent, _ node: SimulatedNode) throws {
        guard let photo = event.photo, let start = photo.exposureStart, let told = photo.exposureStartRigTime,
            let boot = firedUnder[event.uniqueID]
        else { return }
        let off = abs(told.nanoseconds - (node.clock.rig(start.time) - boot))
        try oracle.started(off: off, within: photo.exposureStartUncertaintyNanoseconds ?? 0, event, node.name)
    }

    func take(_ input: NodeMachine.Input, _ node: SimulatedNode) throws { try handle(.node(input), node) }

    func handle(_ input: BoardMachine.Input, _ node: SimulatedNode) throws {
        guard node.isUp else { return }
        for effect in node.machine.handle(input, now: monotonic(node), clock: clock(node)) {
            switch effect {
            case .send(let message): send(message, from: node)
            case .openPlanes:
                node.isBulkOpen = true
                sayBulkHello(node)
            case .prepare(let prepare): self.prepare(prepare, node)
            case .fire(let id, let time, let stepOffsets): try fire(id, time, stepOffsets, node)
            case .cancel(let id, let error): node.exposing[id]?.givenUp = error
            case .camera(let order):
                try oracle.cameraOrdered(node.name, isBusy: !node.prepared.isEmpty || !node.exposing.isEmpty)
                after(diskTime(), .cameraSet(node.index, life: node.life, order))
            case .align, .moveStart, .identify, .report, .alarm: break
            case .abandon(let id): node.prepared[id] = nil
            case .work(let work):
                if case .append(let event) = work { try checkStart(event, node) }
                after(diskTime(), .spoolWork(node.index, life: node.life, work))
            }
        }
    }

    private func prepare(_ prepare: Prepare, _ node: SimulatedNode) {
        let capture = SimulatedCapture(prepare)
        let fails = Double.random(in: 0..<1, using: &random) < scenario.preparationFailure
        if !fails { node.prepared[prepare.uniqueID] = capture }
        let resolution = NodeMachine.Resolution(settings: capture.settings, timing: capture.timing)
        after(
            Int64.random(in: 1_000_000...150_000_000, using: &random),
            .resolved(
                node.index, life: node.life, prepare.uniqueID, fails ? .failure(Self.unready) : .success(resolution)))
    }

    private func fire(_ id: UniqueID, _ time: MonotonicTime, _ stepOffsets: [Int64], _ node: SimulatedNode) throws {
        try oracle.fired(id, node.name, isBusy: node.deliveryCount > 0)
        guard let capture = node.prepared.removeValue(forKey: id) else { return }
        node.exposing[id] = (0, nil)
        let weather = weather(of: node, capture.settings.exposures.count)
        let deliveries = try capture.deliveries(
            at: time, stepOffsets: stepOffsets, node.clock, now: now, node: node.name, weather, &random)
        node.deliveryCount += deliveries.count
        for (time, delivery) in deliveries {
            after(max(0, time - now), .delivered(node.index, life: node.life, delivery))
        }
        if weather.brokenFrom != nil {
            let ahead = node.clock.rig(time) - now
            after(ahead + .milliseconds(50), .camera(node.index, life: node.life, isBack: false))
            after(ahead + .seconds(3), .camera(node.index, life: node.life, isBack: true))
        }
    }

    private func weather(of node: SimulatedNode, _ stepCount: Int) -> SimulatedCapture.Weather {
        var weather = SimulatedCapture.Weather()
        weather.tellsExposure = node.index % 2 == 0
        if Double.random(in: 0..<1, using: &random) < scenario.cameraFault {
            weather.brokenFrom = Int.random(in: 1...stepCount, using: &random)
        }
        weather.refusal = scenario.frameFault / 3
        for number in 0..<60 as Range<UInt32> where Double.random(in: 0..<1, using: &random) < scenario.frameFault {
            weather.faults[number] = [.drop, .error, .wrongExposure, .lateControls].randomElement(using: &random)
        }
        return weather
    }

    // MARK: The spool

    /// Does a piece of work, if the disk obliges; the node may die when all is durable and nobody knows.
    func perform(_ work: SpoolQueue.Work, _ node: SimulatedNode) async throws {
        guard let spool = node.spool else { return }
        if case .reclaimPhoto(let id, let photoCount) = work { try oracle.reclaimed(id, node.name, photoCount) }
        let end = await spool.perform(work)
        if case .appended(let event, nil) = end { oracle.journalled(event, node.name) }
        let dies = scenario.diesInCalls && Int.random(in: 0..<80, using: &random) == 0
        if dies || node.disk.isDead { return crash(node) }
        // Other things may happen before the machine hears of it.
        after(Int64.random(in: 0...1_000_000, using: &random), .spoolEnd(node.index, life: node.life, end))
    }

    func deliver(_ delivery: SpoolQueue.Delivery, to node: SimulatedNode) throws {
        node.deliveryCount -= 1
        try handle(.delivered(node.paid(delivery)), node)
    }

    /// Receives a message from the coordinator; what it says is stored must be.
    func receive(_ message: CoordinatorMessage, _ node: SimulatedNode) async throws {
        if case .stored(let stored) = message {
            for sequence in stored.sequences {
                oracle.acknowledged(sequence, of: stored.uniqueID, node.name)
                try await oracle.checkAcknowledged(
                    sequence, of: stored.uniqueID, node.name, keeper, coordinator.disk)
            }
        }
        try take(.received(message), node)
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
