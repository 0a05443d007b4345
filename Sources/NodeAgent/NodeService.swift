package import CaptureModel
package import Logging
package import PhotoCapture
import Posix
package import RigClock
package import RigProtocol
import RigRules
package import Spool

/// Runs a node: feeds its machine with input from the wire, the camera and the clock, and carries out its effects.
package actor NodeService {
    /// The longest that a bracket under way holds up the end of the service, in nanoseconds.
    private static let stopLimit = Int64.seconds(12)

    /// Opens the node's camera; called again after each loss.
    package typealias CameraFactory = @Sendable () throws(CaptureError) -> any Camera

    let link: any NodeLink
    let spool: Spool
    private let openCamera: CameraFactory
    private let instance: String
    let output: PhotoOutput
    /// What previews are made of: one frame at a time, and only when one is asked for.
    let video = VideoDataOutput(poolSize: 1)
    private let profiles: any ProfileStore
    let logger: Logger
    private let beacon: Beacon
    private let onStatus: @Sendable (String) -> Void
    private let onProgress: @Sendable () -> Void
    private var cameraWatch: CameraWatch
    private var machine: BoardMachine
    private var clockFilter: any ClockEstimator
    private let calendar = RigCalendar()
    private var suspended = Clocks.suspendedNanoseconds()
    var session: CaptureSession?
    var grid = GridKeeper()
    var aligner = StreamAligner()
    var restarting: Task<Void, Never>?
    var preparing = 0
    let keptCamera: KeptCamera
    /// Why the camera is not set to what was kept.
    var cameraProblem: String?
    /// Ends when the camera is set to all that was ordered up to now.
    var setting: Task<Void, Never>?
    var settingCount = 0
    var prepared: [UniqueID: PreparedCapture] = [:]
    private var notices = ReportThrottle()
    private var warnings = ReportThrottle()
    private var alarms = ReportThrottle()
    /// When anything last arrived from the coordinator; at first, when the wait for it began.
    private var lastArrival: MonotonicTime?
    private let (works, worksContinuation) = AsyncStream.makeStream(of: SpoolQueue.Work.self)

    /// - Parameters:
    ///   - profiles: where what was learned of the camera is kept.
    ///   - clock: how rig time is known.
    ///   - light: the name of the board's light that it can be found by; nil for the usual one.
    ///   - folder: where is kept what the camera was set to by hand, and what the light does while it does not blink.
    ///   - cameraLimit: a camera that has done nothing for this long, beyond its own patience, hangs; in nanoseconds.
    ///   - onStatus: told twice a second how the node is doing, in one line.
    ///   - onProgress: called on every turn of the service while the camera does not hang, for a watchdog.
    package init(
        name: NodeName, link: any NodeLink, spool: Spool, software: String, logger: Logger,
        profiles: any ProfileStore = NoProfileStore(), clock: any ClockEstimator = HullFilter(),
        light: String? = nil, folder: String, cameraLimit: Int64 = .seconds(30), openCamera: @escaping CameraFactory,
        onStatus: @escaping @Sendable (String) -> Void = { _ in }, onProgress: @escaping @Sendable () -> Void = {}
    ) {
        instance = String(UInt64.random(in: .min ... .max), radix: 16)
        machine = BoardMachine(NodeMachine(name: name, instance: instance))
        self.link = link
        self.spool = spool
        output = PhotoOutput(software: software, calendar: calendar)
        self.profiles = profiles
        clockFilter = clock
        beacon = Beacon(light: light, folder: folder)
        keptCamera = KeptCamera(folder: folder)
        self.logger = logger
        self.openCamera = openCamera
        (self.onStatus, self.onProgress) = (onStatus, onProgress)
        cameraWatch = CameraWatch(
            limit: cameraLimit, now: MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()))
    }

    /// What the node is called.
    var name: NodeName { machine.node.name }

    /// Whether a bracket has been told when to begin, and is not over.
    var isFiring: Bool { machine.node.isFiring }

    /// Runs until ``stop()``; throws only for a spool that cannot be read.
    package func run() async throws {
        machine = BoardMachine(NodeMachine(name: machine.node.name, instance: instance, epoch: try await spool.epoch()))
        for remains in try await spool.remains(onProgress: onProgress) {
            for damage in remains.damages { logger.error("spool: \(damage)") }
            take(.recovered(events: remains.events))
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.readLink() }
            group.addTask { await self.readProbes() }
            group.addTask { await self.serveChunks() }
            group.addTask { await self.servePreviews() }
            group.addTask { await self.keepTime() }
            group.addTask { await self.probe() }
            group.addTask { await self.keepCamera() }
            group.addTask { await self.serveSpool() }
            group.addTask { await self.watchBoard() }
            // When the link ends, so does the service.
            await group.next()
            group.cancelAll()
        }
        try? session?.stopRunning()
    }

    /// Shuts the node down: a bracket under way is finished, or given up after twelve seconds; then what is owed is said.
    package func stop() async {
        take(.stop)
        await beacon.close()
        await wait(atMost: Self.stopLimit) { $0.node.isFiring }
        take(.stop)
        await wait(atMost: .seconds(2)) { !$0.isQuiet }
        link.send(.goodbye(Goodbye()))
        link.close()
    }

    /// The link runs meanwhile; nothing else says when everything has been done and sent.
    private func wait(atMost limit: Int64, while isBusy: (BoardMachine) -> Bool) async {
        let deadline = Clocks.monotonicNanoseconds() + limit
        while isBusy(machine), Clocks.monotonicNanoseconds() < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: What comes

    private func readLink() async {
        while let arrival = await link.next() {
            lastArrival = now
            switch arrival {
            case .message(let message): take(.received(message))
            case .disconnected: take(.connectionLost)
            case .malformed(let error): warn("a message from the coordinator cannot be read: \(error)")
            case .keyRefused:
                warn(
                    """
                    The coordinator refused this node's key, or is not the one that it joined. Where the coordinator \
                    has another key now, the node joins anew once it has a new join code, or once coordinator.pub is \
                    gone from its spool, and it is started again. Where the node was revoked it asks in the same way, \
                    and only an administrator's `volley nodes admit` lets it in. The port must be the coordinator's \
                    first one.
                    """)
                // Somebody may add the key; nothing tells this node, so it tries again, slowly.
                try? await Task.sleep(for: .seconds(3))
                do { try link.reconnect() } catch { report("Connecting to the coordinator again failed: \(error)") }
            }
        }
    }

    private func readProbes() async {
        while let probe = await link.nextProbe() {
            let verdict = clockFilter.add(probe)
            calendar.note(probe, clockFilter.estimate(at: now))
            switch verdict {
            case .accepted: continue
            case .implausible: logger.debug("a probe that cannot be true was ignored")
            case .startedOver: warn("A clock stepped; learning rig time again.")
            }
        }
    }

    private func keepTime() async {
        var turn = 0
        while !Task.isCancelled {
            noticeSuspension()
            noticeSilence()
            handle(.tick)
            let hanging = hangingCamera()
            if turn % 10 == 0 { onStatus(hanging ?? machine.node.statusLine) }
            if hanging == nil { onProgress() }
            turn += 1
            // The pace of the machine's ticks; nothing waits for this.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// What is wrong with a camera that hangs.
    private func hangingCamera() -> String? {
        let device = output.device
        let text = cameraWatch.alarm(lastTurn: device?.lastTurn, patience: device?.camera.patience ?? 0, now: now)
        if let text { alarm(text) }
        return text
    }

    /// Reports silence: an address where nobody listens, or that swallows everything, raises no error by itself.
    private func noticeSilence() {
        let last = lastArrival ?? now
        lastArrival = last
        guard now - last > .seconds(10) else { return }
        warn(
            "No coordinator answers. Is volley-coordinator running there, and is this its first port, for nodes?")
    }

    /// Starts over after a suspension: the board's clock stood still, so what was known of rig time no longer holds.
    private func noticeSuspension() {
        let now = Clocks.suspendedNanoseconds()
        defer { suspended = now }
        guard now - suspended > .milliseconds(50) else { return }
        report("This board was suspended; learning rig time again.")
        clockFilter.reset()
    }

    private func probe() async {
        while !Task.isCancelled {
            link.sendProbe()
            // The pace of the probes; nothing waits for it.
            try? await Task.sleep(for: .nanoseconds(clockFilter.interval))
        }
    }

    /// Does several pieces of work at a time, as an order to fire must not wait for a disk.
    private func serveSpool() async {
        await withDiscardingTaskGroup { group in
            for await work in works {
                group.addTask {
                    let end = await self.spool.perform(work)
                    await self.handle(end)
                    if case .appended(_, nil) = end { Failpoint.eventSent.pass() }
                }
            }
        }
    }

    private func watchBoard() async {
        let sensors = BoardSensors()
        let start = now
        await beacon.recover()
        while !Task.isCancelled {
            // A sensor may sleep, and its driver wait for it.
            let board = try? await OSThread.run(name: "sensors") {
                BoardReport(
                    uptimeSeconds: 0, temperature: sensors.temperature, isThrottled: sensors.isThrottled,
                    isUndervolted: sensors.isUndervolted)
            }
            if var board {
                board.uptimeSeconds = Int((now - start) / .seconds(1))
                board.camera = output.device?.counts
                board.light = await beacon.light
                board.setByHand = await keptCamera.words
                take(.boardMeasured(board))
            }
            // Temperatures change over minutes, and whoever scrapes asks a few times in one.
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func serveChunks() async {
        while let request = await link.nextChunkRequest() {
            let answer = Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
            do {
                let length = min(max(request.length, 0), 1 << 20)
                let bytes = try await spool.read(
                    request.uniqueID, photoCount: request.photoCount, offset: request.offset, length: length)
                link.send(answer, bytes: bytes)
                Failpoint.chunkSent.pass()
            } catch {
                var failed = answer
                failed.error = CaptureError(reading: error)
                link.send(failed, bytes: [])
            }
        }
    }

    private func keepCamera() async {
        cameraWatch.attempted(at: now)
        while !Task.isCancelled {
            do {
                let opened = try await start()
                session = opened
                await serve(opened)
            } catch {
                let error = error as? CaptureError ?? CaptureError(.deviceFailed, "\(error)")
                warn("\(error)")
                take(.cameraLost(error))
            }
            cameraWatch.attempted(at: now)
            // A missing camera is looked for once a second.
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Tells the machine what happens to the camera, until the session ends.
    private func serve(_ session: CaptureSession) async {
        await announce(isNew: true)
        for await event in session.events {
            switch event {
            case .wasInterrupted(let error):
                warn("\(error)")
                take(.cameraLost(error))
            case .interruptionEnded:
                await announce()
            case .didStartRunning, .didStopRunning:
                continue
            }
        }
    }

    /// Announces a running camera's capabilities once its controls have been learned, and it is set as it was by hand.
    ///
    /// - Parameter isNew: whether it is yet to be set so.
    private func announce(isNew: Bool = false) async {
        guard let device = output.device else { return }
        do {
            try await device.learnControls()
        } catch {
            report("\(error)")
        }
        if isNew || cameraProblem != nil, await !setAsKept(device) { return }
        guard device.properties.value.isRunning else { return }
        let camera = device.capabilities
        logger.info("camera \(camera.cameraID) runs: \(camera.pixelFormat) \(camera.dimensions)")
        take(.cameraReady(camera))
    }

    private nonisolated func start() async throws -> CaptureSession {
        // A driver may take seconds to open: the node carries on meanwhile.
        try await OSThread.run(name: "camera-start") { [openCamera, output, video, profiles] in
            let device = CaptureDevice(
                try openCamera(), profiles: profiles, counts: output.device?.counts ?? CameraCounts())
            let session = CaptureSession()
            try session.addInput(device)
            try session.addOutput(output)
            try session.addOutput(video)
            try session.startRunning()
            return session
        }
    }

    // MARK: What is done

    var clock: ClockReport {
        ClockReport(
            estimate: clockFilter.estimate(at: now), probes: clockFilter.statistics,
            phaseNanoseconds: output.device?.phaseError)
    }

    nonisolated var now: MonotonicTime { MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()) }

    func take(_ input: NodeMachine.Input) { handle(.node(input)) }

    func handle(_ input: BoardMachine.Input) {
        for effect in machine.handle(input, now: now, clock: clock) { perform(effect) }
    }

    private func perform(_ effect: BoardMachine.Effect) {
        switch effect {
        case .send(let message):
            link.send(message)
        case .openPlanes(let clockPort, let bulkPort):
            do {
                try link.openPlanes(clockPort: clockPort, bulkPort: bulkPort, instance: instance)
            } catch {
                logger.error("the coordinator's clock and bulk planes cannot be opened: \(error)")
            }
        case .prepare(let prepare):
            Task(priority: .high) { await self.prepare(prepare) }
        case .fire(let id, let time, let stepOffsets):
            fire(id, time, stepOffsets)
        case .align(let grid):
            align(grid)
        case .moveStart(let move):
            Task { await self.moveStart(move) }
        case .identify(let seconds):
            Task { await self.blink(for: seconds) }
        case .camera(let order):
            carryOut(order)
        case .cancel(let id, let error):
            output.cancel(id, because: error)
        case .abandon(let id):
            prepared[id] = nil
            unshiftGrid(after: id)
            Task { await output.restoreFormat(after: id) }
        case .work(let work):
            worksContinuation.yield(work)
        case .report(let text):
            report(text)
        case .alarm(let text):
            alarm(text)
        }
    }

    private func blink(for seconds: Int) async {
        if let problem = await beacon.blink(for: seconds) {
            warn("The board was to blink, and does not: \(problem)")
        } else {
            report("The board blinks for \(seconds) s, so that somebody finds it.")
        }
    }

    private func alarm(_ text: String) {
        for line in alarms.lines(text, at: now.nanoseconds) { logger.error("\(line)", metadata: about()) }
    }

    func warn(_ text: String) {
        for line in warnings.lines(text, at: now.nanoseconds) { logger.warning("\(line)", metadata: about()) }
    }

    private func report(_ report: Report) {
        for line in notices.lines(report.words, at: now.nanoseconds) {
            // Another line says how many were left out.
            logger.notice("\(line)", metadata: about(report.words.hasPrefix(line) ? report.capture : nil))
        }
    }

    /// What a log can be searched by: where those of all boards come together, each line has its node.
    func about(_ capture: UniqueID? = nil) -> Logger.Metadata {
        var about: Logger.Metadata = ["node": "\(name)"]
        if let capture { about["capture"] = "\(capture)" }
        return about
    }
}
