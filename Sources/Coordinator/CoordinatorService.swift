package import CaptureModel
package import Catalogue
package import Library
import LibraryCare
package import Logging
package import OperatorDesk
import Posix
package import RigProtocol
package import RigRules

/// Runs a coordinator: feeds its machines with input from nodes and operators, and carries out their effects.
package actor CoordinatorService: OperatedRig {
    /// What is done outside the service's turns.
    private enum Job {
        case work(StoreQueue.Work)
        case load(UniqueID)
    }

    private let link: any CoordinatorLink
    private let catalogue: Catalogue
    private let library: Library
    private let logger: Logger
    private let startedAt: UTCTime
    private let book: any MemberBook
    private let onStatus: @Sendable (String) -> Void
    private let onProgress: @Sendable () -> Void
    private let onNotice: @Sendable (Notice) -> Void
    private var machine: CoordinatorMachine
    private let (jobs, jobsContinuation) = AsyncStream.makeStream(of: Job.self)
    private var isEnding = false
    /// For how long this machine has been suspended since it booted, as of the last tick; in nanoseconds.
    private var suspended = Clocks.suspendedNanoseconds()
    private let onReturn: @Sendable () -> Void
    /// Nil until the run has begun.
    private var disk: DiskWatch?
    private let groups: [NodeGroup]
    private let retention: Retention
    private let trail: AuditTrail
    /// The number of the news published last: later numbers may not be in the catalogue yet.
    private var lastTold: Int64 = 0
    private var notices = ReportThrottle()
    private var warnings = ReportThrottle()
    private var alarms = ReportThrottle()
    /// Captures that are not resumed; see ``LibraryInspection/Repair/withheld``.
    private var withheld: Set<UniqueID> = []

    /// - Parameters:
    ///   - startedAt: when the catalogue's run began.
    ///   - book: who belongs to the rig.
    ///   - groups: nodes that belong together, as plans name them.
    ///   - retention: what it throws away by itself.
    ///   - trail: what is written into the audit.
    ///   - onStatus: told once a second how the rig is doing, in one line.
    ///   - onNotice: told what watchers are told; it must not wait.
    ///   - onReturn: called once the library's disk is there again, after it was lost: what was opened on it is not.
    ///   - onProgress: called on every turn of the service, to feed a watchdog.
    package init(
        link: any CoordinatorLink, catalogue: Catalogue, library: Library, startedAt: UTCTime, logger: Logger,
        book: any MemberBook, groups: [NodeGroup] = [], retention: Retention = Retention(),
        trail: AuditTrail = AuditTrail(),
        onStatus: @escaping @Sendable (String) -> Void = { _ in },
        onNotice: @escaping @Sendable (Notice) -> Void = { _ in },
        onReturn: @escaping @Sendable () -> Void = {},
        onProgress: @escaping @Sendable () -> Void = {}
    ) {
        self.link = link
        self.catalogue = catalogue
        self.library = library
        self.logger = logger
        (self.book, self.groups, self.retention, self.trail) = (book, groups, retention, trail)
        (self.onStatus, self.onNotice, self.onProgress) = (onStatus, onNotice, onProgress)
        self.onReturn = onReturn
        self.startedAt = startedAt
        machine = CoordinatorMachine(
            RigMachine(
                lastUniqueID: UniqueID(rawValue: 0), lastNews: 0, welcome: Welcome(clockPort: 0, bulkPort: 0)),
            TransferMachine())
    }

    /// Runs until ``stop()``.
    package func run() async throws {
        let isWhole = try await reconcile()
        Failpoint.reconciled.pass()
        let run = try await library.beginRun(
            startedAt: startedAt, formerRun: try catalogue.formerRunStart(), isWhole: isWhole)
        let rig = RigMachine(
            lastUniqueID: try catalogue.lastUniqueID(), lastNews: try catalogue.lastNews(),
            welcome: Welcome(
                clockPort: link.clockPort, bulkPort: link.bulkPort, epoch: run.epoch, history: run.history),
            groups: groups)
        lastTold = rig.lastNews
        machine = CoordinatorMachine(rig, TransferMachine(partials: try await library.partials(for: catalogue)))
        disk = DiskWatch(
            catalogue, library, logger: logger, storeFailure: { [weak self] in await self?.machine.storeFailure },
            onReturn: onReturn)
        take(.members(book.members()))
        for id in try await catalogue.unfinishedCaptures() where !withheld.contains(id) {
            do {
                take(.loaded(id, try await loaded(id)))
            } catch let error where error is DecodingError || Catalogue.isPermanent(error) {
                logger.error(
                    "capture \(id), left unfinished, cannot be resumed: \(error)", metadata: ["capture": "\(id)"])
            }
        }
        await withDiscardingTaskGroup { group in
            let desk = OperatorDesk(rig: self, catalogue: catalogue, trail: trail, logger: logger)
            group.addTask { await desk.run() }
            group.addTask { await self.serve(desk) }
            for await job in jobs { group.addTask { await self.perform(job) } }
        }
    }

    private func serve(_ desk: OperatorDesk) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.readNodes() }
            group.addTask { await self.readBulk() }
            group.addTask { await self.readOperators(desk) }
            group.addTask { await self.keepTime() }
            group.addTask { await self.disk?.run() }
            if retention != Retention() { group.addTask { await self.throwAway(desk) } }
            // When the link ends, so does the service.
            await group.next()
            group.cancelAll()
        }
        await desk.close()
        // What came in is written before the end, but a disk that takes nothing is not waited for: what it did not take
        // was not acknowledged.
        isEnding = true
        handle(.ended)
    }

    /// Stops the coordinator: nodes keep what is not acknowledged, and captures under way go on at the next start.
    package func stop() {
        link.close()
    }

    // MARK: What comes

    private func readNodes() async {
        while let arrival = await link.nextFromNode() {
            switch arrival.message {
            case .success(let message): take(.fromNode(arrival.peer, user: arrival.user, message))
            case .failure(let error):
                warn("node \(arrival.user): \(error)", about: ["node": "\(arrival.user)"])
                take(.unreadable(arrival.peer, user: arrival.user, error))
            }
        }
    }

    private func readBulk() async {
        while let arrival = await link.nextBulk() {
            switch arrival.message {
            case .success(.hello): handle(.bulkOpened(node: arrival.user, arrival.peer))
            case .success(.chunk(let chunk, let bytes)): handle(.chunk(chunk, bytes, node: arrival.user))
            case .success(.preview(let preview, let bytes)): handle(.preview(preview, bytes, node: arrival.user))
            case .failure(let error):
                warn("bulk plane, node \(arrival.user): \(error)", about: ["node": "\(arrival.user)"])
            }
        }
    }

    private func readOperators(_ desk: OperatorDesk) async {
        while let arrival = await link.nextFromOperator() {
            switch arrival.message {
            case .success(let request): await desk.take(request, from: arrival.caller)
            case .failure(let error):
                if error.code == .overrun {
                    warn("operator \(arrival.user): \(error)", about: ["operator": "\(arrival.user)"])
                }
                link.reply(
                    Refusal(error.code == .overrun ? .tryAgain : .invalid, error.message),
                    to: arrival.caller)
            }
        }
    }

    private func keepTime() async {
        var turn = 0
        while !Task.isCancelled {
            if turn % 10 == 0 { take(.members(book.members())) }
            suspended = Clocks.suspendedNanoseconds()
            handle(.tick)
            if turn % 10 == 0 { onStatus(machine.rig.statusLine) }
            onProgress()
            turn += 1
            // The pace of the machine's ticks; nothing waits for this.
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func throwAway(_ desk: OperatorDesk) async {
        // Nodes that come back have delivered by then.
        var pause = 60.0
        while (try? await Task.sleep(for: .seconds(pause))) != nil {
            // A clock that is years ahead would make everything old.
            guard Clocks.realtimeError() != nil else {
                warn(
                    "retention: nothing is thrown away, as nobody disciplines this machine's clock: see to chrony or timesyncd"
                )
                continue
            }
            pause = await desk.throwAway(retention) ? 60 : 3600
        }
    }

    // MARK: What operators have to do with it

    package func status() async -> StatusReply {
        let (trouble, verdict) = (await disk?.trouble, await disk?.verdict)
        var status = StatusReply(eventsPort: link.eventsPort, library: library.root, news: lastTold)
        let outlook = machine.outlook
        status.toCome = StatusReply.ToCome(
            photoCount: outlook.photoCount, byteCount: outlook.byteCount, bytesPerSecond: outlook.bytesPerSecond,
            seconds: outlook.seconds)
        status.trouble = trouble
        status.copies = await disk?.copies
        (status.verdict, status.utc) = (verdict, UTCTime(rawValue: Clocks.microsecondsSinceEpoch()))
        return status
    }

    package func lookAtLibrary() async -> LibraryTrouble? { await disk?.look() }

    package func metrics() async -> [MetricFamily] {
        let disk = await disk?.metrics ?? []
        var release = MetricFamily.gauge("volley_coordinator_info", "What the coordinator is; always 1.")
        release.add(1, ["release": Release.version])
        return machine.metrics + trail.metrics + disk + [
            release,
            MetricFamily.gauge("volley_coordinator_start_time_seconds", "When it started, in UTC.")
                .with(Double(startedAt.rawValue) / 1e6),
        ]
    }

    package func knows(_ requestID: String) -> Bool { machine.rig.knows(requestID) }

    package func freeBytes() async throws -> Int64 { try await library.freeBytes() }

    package func withheld(of ids: [UniqueID]) -> Set<UniqueID> { withheld.intersection(ids) }

    package func spared(of ids: [UniqueID]) -> Set<UniqueID> {
        withheld.intersection(ids).union(machine.rig.spared(of: ids))
    }

    package nonisolated func trash(
        _ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime
    ) throws -> (isArranged: Bool, lost: [String]) {
        try library.folder.trash(places, of: id, createdAt: createdAt)
    }

    package nonisolated func boards() -> BoardsReply { book.boards() }

    package nonisolated func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply {
        try book.invite(request)
    }

    package func change(_ request: MemberRequest) async throws -> MemberReply {
        let former = NodeName(request.subject)
        if request.act == .rename, let former, let refusal = machine.rig.objection(toRenaming: former) { throw refusal }
        let owing = former.map(machine.rig.captures(countingOn:)) ?? []
        let unfired = former.map(machine.rig.unfiredCaptures(countingOn:)) ?? []
        let keepsCount = former.flatMap(machine.rig.keepsCount(of:))
        // A rename is made here, so that nothing is fired between the question whether it may be and the deed; for what
        // else waits for a disk the rig does not.
        let change =
            request.act == .rename
            ? try book.change(request)
            : try await OSThread.run(name: "members") { [book] in try book.change(request) }
        take(.members(book.members()))
        var reply = MemberReply(change, owing: request.act == .admit ? [] : owing, keepsCount: keepsCount)
        if request.act == .revoke, !unfired.isEmpty {
            reply.owing.removeAll(where: unfired.contains)
            reply.unfired = unfired
        }
        return reply
    }

    package nonisolated func role(of user: NodeName) -> Role? { book.role(of: user) }

    package nonisolated func operators() -> OperatorsReply { book.operators() }

    package nonisolated func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal) {
        try book.change(request, by: user)
    }

    package nonisolated func reply(_ message: any WireMessage, bytes: [UInt8]?, to caller: Caller) {
        trail.end(message, to: caller)
        link.reply(message, bytes: bytes, to: caller)
    }

    package nonisolated func keep(_ geometry: RigGeometry) async throws -> RigGeometry {
        try await library.folder.keep(geometry, in: catalogue)
    }

    package nonisolated func piece(of path: String, offset: Int, length: Int) throws -> [UInt8] {
        try library.folder.piece(of: path, offset: offset, length: length)
    }

    // MARK: What is done

    package func take(_ input: RigInput) {
        if let (refusal, caller) = objection(to: input) { return reply(refusal, to: caller) }
        handle(.rig(input))
    }

    package func take(_ request: PreviewsRequest, _ caller: Caller) { handle(.previewsRequested(caller, request)) }

    /// The archive of a capture that was left as it is knows more than the catalogue, and must not be overwritten.
    private func objection(to input: RigInput) -> (Refusal, Caller)? {
        let caller: Caller
        let ids: [UniqueID]
        switch input {
        case .annotateRequested(let who, _, let captures, let photos):
            (caller, ids) = (who, captures + photos.map(\.uniqueID))
        case .trashRequested(let who?, let order, _) where !order.isEmptying: (caller, ids) = (who, order.captures)
        default: return nil
        }
        guard let id = ids.first(where: withheld.contains) else { return nil }
        let message =
            "Nothing was changed: the catalogue may know less of capture \(id) than what lies beside its photos. Stop the "
            + "coordinator and run `volley verify \(library.root) --repair`."
        return (Refusal(.unavailable, message), caller)
    }

    private func handle(_ input: CoordinatorMachine.Input) {
        let moment = Moment(
            rigTime: now, utc: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()), suspended: suspended)
        for effect in machine.handle(input, at: moment) {
            switch effect {
            case .send(let message, let peer): link.send(message, to: peer)
            case .reply(let answer, let caller): reply(answer.body, to: caller)
            case .publish(let notice):
                lastTold = max(lastTold, notice.number)
                link.publish(notice.body)
                onNotice(notice)
            case .request(let request, let peer): link.request(.chunk(request), from: peer)
            case .preview(.request(let request, let peer)): link.request(.preview(request), from: peer)
            case .preview(.reply(let answer, let bytes, let caller)): reply(answer, bytes: bytes, to: caller)
            case .preview(.refuse(let refusal, let caller)): reply(refusal, to: caller)
            case .load(let id): jobsContinuation.yield(.load(id))
            case .work(let work): jobsContinuation.yield(.work(work))
            case .report(let report): self.report(report)
            case .alarm(let text): for line in alarms.lines(text, at: now.nanoseconds) { logger.error("\(line)") }
            }
        }
        if isEnding, machine.isIdle { jobsContinuation.finish() }
    }

    private func perform(_ job: Job) async {
        switch job {
        case .work(let work): handle(await Stores(catalogue, library, disk: disk).perform(work))
        case .load(let id): await load(id)
        }
    }

    private nonisolated var now: RigTime { RigTime(nanoseconds: Clocks.monotonicNanoseconds()) }

    private func report(_ report: Report) {
        var about: Logger.Metadata = [:]
        if let node = report.node { about["node"] = "\(node)" }
        if let capture = report.capture { about["capture"] = "\(capture)" }
        for line in notices.lines(report.words, at: now.nanoseconds) {
            // Another line says how many were left out.
            logger.notice("\(line)", metadata: report.words.hasPrefix(line) ? about : [:])
        }
    }

    private func warn(_ text: String, about: Logger.Metadata = [:]) {
        for line in warnings.lines(text, at: now.nanoseconds) {
            logger.warning("\(line)", metadata: text.hasPrefix(line) ? about : [:])
        }
    }

    // MARK: The library

    /// Reconciles what a crash, a restored backup or a person left inconsistent, before anybody is heard.
    ///
    /// - Returns: whether nothing had to be left as it is.
    private func reconcile() async throws -> Bool {
        for problem in await library.folder.reconcileGeometry(catalogue) { logger.error("\(problem)") }
        let inspection = LibraryInspection(library.folder, catalogue, onProgress: onProgress)
        let findings = try await inspection.findingsSinceFormerRun()
        for finding in findings { logger.notice("\(finding)") }
        let repairs = try await inspection.repair(findings, now: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()))
        for repair in repairs { logger.notice("\(repair)") }
        withheld = Set(repairs.compactMap(\.withheld))
        let isWhole = !repairs.contains { $0.outcome == .left }
        if !isWhole {
            logger.error(
                """
                What was left as it is waits for a person, and is checked again at the next start; \
                `volley verify \(library.root)` lists it.
                """)
        }
        return isWhole
    }

    private func load(_ id: UniqueID) async {
        do {
            take(.loaded(id, try await loaded(id)))
        } catch {
            logger.error("capture \(id) cannot be read from the catalogue: \(error)", metadata: ["capture": "\(id)"])
            take(.loaded(id, nil))
        }
    }

    private func loaded(_ id: UniqueID) async throws -> LoadedCapture? {
        withheld.contains(id) ? nil : try await catalogue.loaded(id)
    }
}
