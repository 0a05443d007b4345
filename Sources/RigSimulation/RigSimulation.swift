import CaptureModel
import Catalogue
import Posix
import RigClock
import RigProtocol
package import RigRules
import SimulatedCamera
import SimulationKit

/// A whole rig in virtual time, from one seed: coordinator, nodes, network, disks and cameras.
///
/// It runs what the programs run: their machines, spool, library and catalogue. Only time, the network, the disks and
/// the cameras are simulated. First things go wrong, then everything is healed and must finish:
///
/// ```
/// trouble: crashes, power cuts, partitions, loss, full and failing disks ... | heal | everything must end
/// ```
///
/// What must hold is checked after every step: see ``Oracle``.
package actor RigSimulation {
    /// The result of a run.
    package struct Report: Sendable {
        /// The seed of its scenario.
        package let seed: UInt64
        /// What should have held but did not; nil if everything held.
        package var violation: String?
        /// How many captures were accepted.
        package var captureCount = 0
        /// How many photos ended in the library; 0 after a violation.
        package var storedPhotoCount = 0
        /// How many things happened.
        package var stepCount = 0
        /// What happened, step by step; empty unless the run was traced and violated something.
        package var trace: [String] = []
    }

    /// Bugs introduced on purpose, to show that they are found.
    package struct Sabotage: Sendable {
        /// The coordinator's.
        package var coordinator = CoordinatorMachine.Tampering()
        /// Every node's.
        package var node = BoardMachine.Tampering()

        package init() {}
    }

    /// What is to happen.
    enum Happening {
        case nodeTick(Int, life: Int)
        case probe(Int, life: Int)
        case probed(Int, life: Int, ClockProbe)
        case coordinatorTick(life: Int)
        case toNode(Int, CoordinatorMessage, connection: Int)
        case toCoordinator(Int, NodeMessage, Peer, connection: Int)
        case bulkHello(Int, Peer, connection: Int)
        case chunkRequest(Int, ChunkRequest, connection: Int)
        case chunk(Int, Chunk, [UInt8], connection: Int)
        case resolved(Int, life: Int, UniqueID, Result<NodeMachine.Resolution, CaptureError>)
        case delivered(Int, life: Int, SpoolQueue.Delivery)
        case camera(Int, life: Int, isBack: Bool)
        case spoolWork(Int, life: Int, SpoolQueue.Work)
        case spoolEnd(Int, life: Int, BoardMachine.Input)
        case work(life: Int, StoreQueue.Work)
        case load(life: Int, UniqueID)
        case ask(Int)
        case press(UniqueID)
        case answered(Int, OperatorReply)
        case cancel(Int)
        case annotate(Int)
        case sweep(Int)
        case setCameras
        case cameraSet(Int, life: Int, CameraOrder)
        case crashNode(Int)
        case startNode(Int)
        case crashCoordinator
        case startCoordinator
        case partition(Int, seconds: Double)
        case setClock(seconds: Int64)
        case sleep(seconds: Double)
        case loseDisk(seconds: Double)
        case findDisk
        case reset(Int)
        case reimage(Int)
        case backup
        case restore
        case heal
    }

    /// When the run begins.
    private static let epoch: UTCTime = 1_800_000_000_000_000
    /// How long after the trouble everything must be done.
    private static let patience = Int64.seconds(240)

    var scenario: Scenario
    let sabotage: Sabotage
    var random: SplitMix64
    /// Nanoseconds of virtual time.
    var now: Int64 = 1_000_000_000_000
    let began: Int64
    var agenda = Agenda<Happening>()
    let nodes: [SimulatedNode]
    let coordinator: SimulatedCoordinator
    /// Keeps the in-memory catalogue alive while no coordinator has it open.
    let keeper: Catalogue
    /// The copy of the catalogue that an operator made.
    var backupCopy: Catalogue?
    /// Until when nothing passes between a node and the coordinator, each way.
    var blockedUntil: [(toNode: Int64, toCoordinator: Int64)]
    /// When the board of the coordinator that fired each capture was switched on.
    var firedUnder: [UniqueID: Int64] = [:]
    var lastArrival: [String: Int64] = [:]
    /// Until when the nodes' common wire is full.
    var wireFreeAt: Int64 = 0
    var oracle: Oracle
    var isHealed = false
    /// By how much the coordinator's wall clock was set, in nanoseconds.
    var clockOffset: Int64 = 0
    /// When the coordinator's machine slept, by virtual time, which stands still meanwhile as rig time does; and for how
    /// long, in nanoseconds.
    var sleeps: [(at: Int64, nanoseconds: Int64)] = []
    /// The coordinator's life in which it ordered each capture to be fired.
    var firedIn: [UniqueID: Int] = [:]
    /// Whether the library's disk takes nothing, catalogue and photos.
    var isDiskLost = false
    /// When the coordinator's clock was set or its machine slept last, by virtual time.
    private var lastTimeChange = Int64.min / 2
    /// How often somebody has said something of a capture.
    var annotationCount = 0
    /// How often somebody has deleted something, put it back, or emptied the trash.
    var orderCount = 0
    /// How often somebody has set cameras by hand.
    var settingCount = 0
    private let isTraced: Bool
    private var trace: [String] = []
    private var steps = 0

    /// - Parameter isTraced: whether to record what happens, for the report; slow.
    package init(_ scenario: Scenario, sabotage: Sabotage = Sabotage(), isTraced: Bool = false) throws {
        self.isTraced = isTraced
        self.scenario = scenario
        self.sabotage = sabotage
        random = SplitMix64(state: scenario.seed &+ 0x9E37_79B9)
        began = now
        nodes = (0..<scenario.nodeCount).map {
            SimulatedNode(
                index: $0, scenario, booted: 900_000_000_000 + Int64($0) * 7_777)
        }
        coordinator = SimulatedCoordinator(seed: scenario.seed)
        keeper = try Catalogue(
            inMemory: coordinator.catalogueName, startedAt: Self.epoch, rigTime: RigTime(nanoseconds: 0))
        blockedUntil = nodes.map { _ in (0, 0) }
        oracle = Oracle(scenario)
    }

    /// Runs to the end, or to the first violation.
    package func run() async throws -> Report {
        plan()
        do {
            try await go()
            try await oracle.checkEnd(keeper, coordinator.disk)
            try await checkTimes()
        } catch let violation as Oracle.Violation {
            return Report(
                seed: scenario.seed, violation: violation.description, captureCount: oracle.accepted.count,
                stepCount: steps, trace: trace)
        }
        return Report(
            seed: scenario.seed, captureCount: oracle.accepted.count, storedPhotoCount: oracle.promised.count,
            stepCount: steps)
    }

    private func go() async throws {
        let end = began + scenario.trouble
        while let next = agenda.next() {
            now = max(now, next.time)
            steps += 1
            if isTraced { note(next.element) }
            try await happen(next.element)
            if isHealed, try await isDone() { return }
            if now > end + Self.patience { throw Oracle.Violation("not everything finished: \(await unfinished())") }
        }
    }

    /// Draws what goes wrong, and when.
    private func plan() {
        func some(_ count: Int, _ make: (Int64) -> Happening) {
            for _ in 0..<count {
                let time = began + Int64.random(in: 0..<scenario.trouble, using: &random)
                agenda.add(make(time), at: time)
            }
        }
        func anyNode() -> Int { Int.random(in: 0..<nodes.count, using: &random) }
        agenda.add(.startCoordinator, at: began)
        for node in nodes { agenda.add(.startNode(node.index), at: began + Int64(node.index) * 50_000_000) }
        for request in 0..<scenario.captureCount {
            agenda.add(.ask(request), at: asked(request))
        }
        some(scenario.nodeCrashes) { _ in .crashNode(anyNode()) }
        some(scenario.coordinatorCrashes) { _ in .crashCoordinator }
        some(scenario.partitions) { _ in .partition(anyNode(), seconds: Double.random(in: 0.1...12, using: &random)) }
        some(scenario.resets) { _ in .reset(anyNode()) }
        for _ in 0..<scenario.cancellations {
            let request = Int.random(in: 0..<scenario.captureCount, using: &random)
            let later = Int64.random(in: 0...1_500_000_000, using: &random)
            agenda.add(.cancel(request), at: asked(request) + later)
        }
        for _ in 0..<scenario.annotations {
            let request = Int.random(in: 0..<scenario.captureCount, using: &random)
            let later = Int64.random(in: 0...scenario.trouble, using: &random)
            agenda.add(.annotate(request), at: asked(request) + later)
        }
        for _ in 0..<scenario.orders {
            let request = Int.random(in: 0..<scenario.captureCount, using: &random)
            // Nodes that were lost come back in the end.
            let later = Int64.random(in: 0...scenario.trouble + .seconds(60), using: &random)
            agenda.add(.sweep(request), at: asked(request) + later)
        }
        some(scenario.settings) { _ in .setCameras }
        some(scenario.reimages) { _ in .reimage(anyNode()) }
        if scenario.restoresBackup {
            agenda.add(.backup, at: began + Int64.random(in: 0..<scenario.trouble / 2, using: &random))
            agenda.add(
                .restore, at: began + Int64.random(in: scenario.trouble / 2..<scenario.trouble, using: &random))
        }
        some(scenario.clockJumps) { _ in
            .setClock(
                seconds: [1, 60, 3600, 86_400, 400 * 86_400].randomElement(using: &random).map { Int64($0) } ?? 1)
        }
        some(scenario.diskLosses) { _ in .loseDisk(seconds: Double.random(in: 0.1...30, using: &random)) }
        some(scenario.sleeps) { _ in .sleep(seconds: Double.random(in: 1...40_000, using: &random)) }
        agenda.add(.heal, at: began + scenario.trouble)
    }

    private func asked(_ request: Int) -> Int64 { began + .seconds(3) + Int64(request) * scenario.pace }

    private func happen(_ happening: Happening) async throws {
        switch happening {
        case .nodeTick(let index, let life): try tickNode(index, life)
        case .probe(let index, let life): probe(nodes[index], life)
        case .probed(let index, let life, let probe):
            guard nodes[index].life == life else { return }
            nodes[index].filter.add(probe)
        case .coordinatorTick(let life): try tickCoordinator(life)
        case .toNode(let index, let message, let connection):
            let node = nodes[index]
            guard node.isUp, node.connections.control == connection else { return }
            try await receive(message, node)
        case .toCoordinator(let index, let message, let peer, let connection):
            guard coordinator.isUp, nodes[index].connections.control == connection else { return }
            if case .refused(let refused) = message { oracle.refused(refused.uniqueID, nodes[index].name) }
            try take(.fromNode(peer, user: nodes[index].name, message))
        case .bulkHello(let index, let peer, let connection):
            guard coordinator.isUp, nodes[index].connections.bulk == connection else { return }
            try handle(.bulkOpened(node: nodes[index].name, peer))
        case .chunkRequest(let index, let request, let connection):
            guard nodes[index].isUp, nodes[index].connections.bulk == connection else { return }
            await serve(request, nodes[index])
        case .chunk(let index, let chunk, let bytes, let connection):
            guard coordinator.isUp, nodes[index].connections.bulk == connection else { return }
            try handle(.chunk(chunk, bytes, node: nodes[index].name))
        case .resolved(let index, let life, let id, let result):
            guard nodes[index].life == life else { return }
            try take(.resolved(id, result), nodes[index])
        case .delivered(let index, let life, let delivery):
            guard nodes[index].life == life else { return }
            try deliver(delivery, to: nodes[index])
        case .camera(let index, let life, let isBack):
            guard nodes[index].life == life else { return }
            try take(isBack ? .cameraReady(Self.camera) : .cameraLost(Self.unplugged), nodes[index])
        case .spoolWork(let index, let life, let work):
            guard nodes[index].life == life else { return }
            try await perform(work, nodes[index])
        case .spoolEnd(let index, let life, let end):
            guard nodes[index].life == life else { return }
            try handle(end, nodes[index])
        case .work(let life, let work):
            guard coordinator.life == life else { return }
            try await perform(work)
        case .load(let life, let id):
            guard coordinator.life == life else { return }
            try await load(id)
        case .ask(let request): try await ask(request)
        case .press(let id): try press(id)
        case .answered(let request, let reply): try answered(request, reply)
        case .cancel(let request): try cancel(request)
        case .annotate(let request): try await annotate(request)
        case .sweep(let request): try await sweep(request)
        case .setCameras: try setCameras()
        case .cameraSet(let index, let life, let order):
            guard nodes[index].life == life else { return }
            try take(.cameraAnswered(CameraReport(number: order.number)), nodes[index])
        case .crashNode(let index): crash(nodes[index])
        case .startNode(let index): try await start(nodes[index])
        case .crashCoordinator: crashCoordinator()
        case .startCoordinator: try await startCoordinator()
        case .partition(let index, let seconds): partition(index, seconds)
        case .setClock(let seconds):
            clockOffset += .seconds(Bool.random(using: &random) ? seconds : -seconds)
            lastTimeChange = now
        case .sleep(let seconds):
            sleeps.append((now, Int64(seconds * 1e9)))
            lastTimeChange = now
        case .loseDisk(let seconds):
            isDiskLost = !isHealed
            after(Int64(seconds * 1e9), .findDisk)
        case .findDisk:
            isDiskLost = false
            oracle.diskIsBack()
        case .reset(let index): try reset(nodes[index])
        case .reimage(let index): try await reimage(nodes[index])
        case .backup: try backup()
        case .restore: restoreBackup()
        case .heal: try await heal()
        }
    }

    private func heal() async throws {
        isHealed = true
        isDiskLost = false
        oracle.diskIsBack()
        scenario.heal()
        for disk in nodes.map(\.disk) + [coordinator.disk] { disk.faults = SimulatedFileSystem.Faults() }
        for disk in nodes.map(\.disk) + [coordinator.disk] { disk.die(afterCalls: nil) }
        blockedUntil = nodes.map { _ in (0, 0) }
        for node in nodes where !node.isUp { agenda.add(.startNode(node.index), at: now) }
        if !coordinator.isUp { agenda.add(.startCoordinator, at: now) }
        // Requests that were not heard are made again.
        for request in 0..<scenario.captureCount where oracle.ids[request] == nil {
            agenda.add(.ask(request), at: now + .seconds(5) + Int64(request) * .seconds(3))
        }
    }

    private func isDone() async throws -> Bool {
        guard coordinator.isUp, nodes.allSatisfy(\.isUp), oracle.areAllAnswered, oracle.areCamerasAnswered,
            nodes.allSatisfy({ $0.isIdle && oracle.isEmpty($0.disk, of: $0.name) }),
            coordinator.machine.isIdle, let catalogue = coordinator.catalogue,
            // It reads its clocks twice before it believes them.
            now - lastTimeChange > .seconds(2)
        else { return false }
        return try await catalogue.unfinishedCaptures().isEmpty
    }

    private func unfinished() async -> String {
        let spools = nodes.map { "\($0.name): \($0.disk.names(in: "/spool")) idle \($0.isIdle) up \($0.isUp)" }
        let open = (try? await coordinator.catalogue?.unfinishedCaptures()) ?? []
        return "spools \(spools), captures \(open), unanswered \(!oracle.areAllAnswered)"
    }

    private func note(_ happening: Happening) {
        switch happening {
        case .nodeTick, .probe, .probed, .coordinatorTick, .toNode(_, .heartbeat, _),
            .toCoordinator(_, .heartbeat, _, _):
            return
        default: trace.append(String("\((now - began) / 1_000_000) ms  \(happening)".prefix(400)))
        }
    }

    // MARK: Time

    var rigTime: RigTime { RigTime(nanoseconds: now - coordinator.booted) }

    /// By the coordinator's CLOCK_REALTIME.
    var wallClock: UTCTime { Self.epoch + (now - began) + clockOffset + slept(before: .max) }

    private func slept(before time: Int64) -> Int64 { sleeps.reduce(0) { $1.at < time ? $0 + $1.nanoseconds : $0 } }

    /// What the coordinator makes of its clocks.
    var moment: Moment { Moment(rigTime: rigTime, utc: wallClock, suspended: slept(before: .max)) }

    /// Checks that the catalogue dates what was fired in the last run as the clock on the wall has it in the end.
    private func checkTimes() async throws {
        for (id, life) in firedIn.sorted(by: { $0.key < $1.key }) where life == coordinator.life {
            guard let capture = try await keeper.capture(id), let fired = capture.fireRigTime,
                let dated = capture.timeline?.utc(of: fired)
            else { continue }
            let time = fired.nanoseconds + coordinator.booted
            // Of what happens about when the machine falls asleep, nobody can say whether it was before or after.
            guard sleeps.allSatisfy({ abs($0.at - time) > .seconds(1) }) else { continue }
            let right = Self.epoch + (time - began) + clockOffset + slept(before: time)
            guard abs(dated - right) <= .milliseconds(20) else {
                throw Oracle.Violation("\(id) was fired at \(right), and the catalogue says \(dated)")
            }
        }
    }

    func after(_ nanoseconds: Int64, _ happening: Happening) { agenda.add(happening, at: now + nanoseconds) }

    /// How long a disk takes this time.
    func diskTime() -> Int64 { Int64.random(in: 200_000...scenario.slowestDisk, using: &random) }

    static func caller(_ request: Int) -> Caller {
        Caller(peer: Peer(routingID: [0, UInt8(request)]), user: "operator", request: 1)
    }
}
