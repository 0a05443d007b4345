import CaptureModel
package import Catalogue
package import Logging
import Posix
package import RigProtocol
import RigRules

/// The one place that answers operators; it knows the name of each who asks.
///
/// ```
///             +-- of the rig: at once, in the order in which it came --> RigRules
/// request ----+
///             +-- of the catalogue, which may take long: QuestionQueue --> Catalogue
/// ```
package actor OperatorDesk {
    /// How much missed news an operator gets at a time.
    private static let newsPage = 200
    /// How many entries of the audit are given at most.
    private static let mostAuditEntries = 1000

    /// By the wall clock of this machine.
    static var utc: UTCTime { UTCTime(rawValue: Clocks.microsecondsSinceEpoch()) }

    let rig: any OperatedRig
    let catalogue: Catalogue
    private let trail: AuditTrail
    let logger: Logger
    /// The clock that retention goes by; nil before its first look.
    var retentionClock: RetentionClock?
    private var questions = QuestionQueue<(OperatorRequest, Caller)>()
    private let (turns, turnsInput) = AsyncStream.makeStream(of: (OperatorRequest, Caller).self)

    /// - Parameter trail: told of each request here, and by the rig of each answer.
    package init(rig: any OperatedRig, catalogue: Catalogue, trail: AuditTrail, logger: Logger) {
        self.rig = rig
        self.trail = trail
        self.catalogue = catalogue
        self.logger = logger
    }

    /// Answers what only the catalogue has to be asked, until ``close()``.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepTrail() }
            for await (request, caller) in turns {
                group.addTask {
                    await self.answer(request, caller)
                    await self.answered(caller)
                }
            }
        }
    }

    /// Takes no more questions; those under way are answered still.
    package func close() {
        turnsInput.finish()
        trail.close()
    }

    private func keepTrail() async {
        for await note in trail.entries {
            let entry = note.entry
            do {
                if let row = note.row {
                    try await catalogue.complete(entry, at: row)
                } else {
                    try await catalogue.note(entry)
                }
            } catch {
                trail.drop()
                let subject = entry.subject ?? ""
                logger.error(
                    "not in the audit: \(entry.user), \(entry.act) \(subject): \(error)", metadata: about(entry.user))
            }
        }
    }

    /// Takes a request; what is asked of the rig has been decided when this returns.
    package func take(_ request: OperatorRequest, from caller: Caller) async {
        let request = request.composed
        let entry = AuditTrail.entry(request, caller, at: Self.utc)
        if let entry { trail.begin(entry, caller) }
        let role = rig.role(of: caller.user)
        guard let role, role >= request.role else {
            let what = type(of: request.body).type
            logger.warning(
                "\(caller.user) was refused: \(what) takes the role \(request.role).", metadata: about(caller.user))
            let may = role.map { "may only \($0)" } ?? "may do nothing"
            let message = "\(caller.user) \(may) here, and this takes the role '\(request.role)'; ask an administrator."
            return rig.reply(Refusal(.notAllowed, message), to: caller)
        }
        if let entry {
            do {
                if let refusal = trail.objection(to: entry, role) { throw refusal }
                try await writeDownFirst(request, entry, caller)
            } catch {
                let words = (error as? Refusal)?.message ?? "Nothing was done: \(Catalogue.sentence(for: error))"
                return rig.reply(Refusal(.tryAgain, words), to: caller)
            }
        }
        guard request.isQuestion else { return await answer(request, caller) }
        switch questions.add((request, caller), of: caller.user) {
        case .waits: answerNext()
        case .refused(let reason): rig.reply(Refusal(.tryAgain, reason), to: caller)
        }
    }

    /// What changes who may do what is in the audit before it is done: a crash must not leave it without a trace.
    private func writeDownFirst(_ request: OperatorRequest, _ entry: AuditEntry, _ caller: Caller) async throws {
        guard request.role == .administer else { return }
        let trouble = await rig.status().trouble
        // What makes room must not need any.
        if case .trash = request, trouble?.kind == .full { return }
        if let trouble { throw Refusal(.tryAgain, "Nothing was done: \(trouble.words)") }
        do {
            trail.begin(entry, caller, row: try await catalogue.note(entry))
        } catch  where Catalogue.isFull(error) {
            guard case .trash = request else { throw error }
        }
    }

    private func answered(_ caller: Caller) {
        questions.answered(caller.user)
        answerNext()
    }

    private func answerNext() {
        while let (_, turn) = questions.next() { turnsInput.yield(turn) }
    }

    private func answer(_ request: OperatorRequest, _ caller: Caller) async {
        do {
            switch request {
            case .status:
                var status = await rig.status()
                status.retentionRemark = retentionRemark
                rig.reply(status, to: caller)
            case .metrics: rig.reply(MetricsReply(families: await rig.metrics()), to: caller)
            case .fire(let fire): try await take(fire, caller)
            case .arm(let request):
                try await take(request, caller)
            case .release(let request): await rig.take(.releaseRequested(caller, request))
            case .check(let request):
                if let trouble = await rig.lookAtLibrary() { throw Refusal(.tryAgain, trouble.words) }
                await rig.take(.checkRequested(caller, request, freeBytes: try await rig.freeBytes()))
            case .annotate(let request): try await take(request, caller)
            case .trash(let request): try await take(request, caller)
            case .noteExport(let request):
                let known = try await catalogue.captures(request.capture).items.first
                guard let known, (1...max(1, known.storedPhotoCount)).contains(request.photoCount) else {
                    throw Refusal(
                        .invalid, "There is no capture \(request.uniqueID) with so many photos; nothing was noted.")
                }
                rig.reply(NoteExportReply(), to: caller)
            case .geometry(let request):
                let geometry =
                    if let version = request.version {
                        try await catalogue.geometry(version: version)
                    } else {
                        try await catalogue.geometry(
                            at: request.at ?? Self.utc)
                    }
                rig.reply(GeometryReply(geometry: geometry), to: caller)
            case .keepGeometry(let request): try await keep(request.geometry, caller)
            case .cancel(let id): await rig.take(.cancelRequested(caller, id))
            case .nodes: await rig.take(.nodesRequested(caller))
            case .moveStarts(let body):
                // It changes what photos will say of themselves, and is known nowhere else.
                let now = Self.utc
                if let entry = AuditTrail.entry(request, caller, at: now) { try await catalogue.note(entry) }
                await rig.take(.moveStartsRequested(caller, body))
            case .identify(let request): await rig.take(.identifyRequested(caller, request))
            case .camera(let request): await rig.take(.cameraRequested(caller, request))
            case .clocks: await rig.take(.clocksRequested(caller))
            case .pending: await rig.take(.pendingRequested(caller))
            case .captures(let filter):
                rig.reply(CapturesReply(try await catalogue.captures(filter)), to: caller)
            case .photos(let filter):
                let found = try await catalogue.photos(filter)
                rig.reply(PhotosReply(found: found, library: await rig.status().library), to: caller)
            case .piece(let request): try await take(request, caller)
            case .previews(let request): await rig.take(request, caller)
            case .sessions(let request):
                let sessions = try await catalogue.sessions(since: request.since, limit: request.limit)
                rig.reply(SessionsReply(sessions: sessions), to: caller)
            case .labels(let request):
                let labels = try await catalogue.labels(since: request.since, limit: request.limit)
                rig.reply(LabelsReply(labels: labels), to: caller)
            case .news(let number):
                let page = try await catalogue.news(after: number, limit: Self.newsPage)
                let reply = NewsReply(news: page.news.map(Notice.init), last: page.last, isMore: page.isMore)
                rig.reply(reply, to: caller)
            case .boards: rig.reply(rig.boards(), to: caller)
            case .invite(let request):
                let reply = try await OSThread.run(name: "members") { [rig] in try rig.invite(request) }
                let until = "\(reply.until.day) \(reply.until.timeOfDay) UTC"
                logger.notice(
                    "\(caller.user) made a join code for up to \(request.count) boards, until \(until).",
                    metadata: about(caller.user))
                rig.reply(reply, to: caller)
            case .member(let request):
                let reply = try await rig.change(request)
                let (subject, act) = (request.subject.printableLine, request.act.rawValue.printableLine)
                logger.notice(
                    "\(caller.user): \(act) \(subject), which is node \(reply.node).",
                    metadata: about(caller.user).merging(["node": "\(reply.node)"]) { $1 })
                rig.reply(reply, to: caller)
            case .operators: rig.reply(rig.operators(), to: caller)
            case .operatorChange(let request):
                try await OSThread.run(name: "members") { [rig] in try rig.change(request, by: caller.user) }
                let may = request.role?.rawValue ?? "do nothing any more"
                logger.notice("\(caller.user): \(request.name) may \(may).", metadata: about(caller.user))
                rig.reply(rig.operators(), to: caller)
            case .audit(let request):
                let limit = min(max(request.limit, 1), Self.mostAuditEntries)
                let entries = try await catalogue.audit(since: request.since, limit: limit)
                rig.reply(AuditReply(entries: entries), to: caller)
            case .show(let id):
                let capture = try await catalogue.capture(id)
                let missing = Refusal(.notFound, "There is no capture \(id).")
                rig.reply(capture.map { ShowReply(capture: $0) } ?? missing, to: caller)
            }
        } catch let refusal as Refusal {
            rig.reply(refusal, to: caller)
        } catch {
            logger.error("a request of \(caller.user) cannot be answered: \(error)", metadata: about(caller.user))
            // What the disk refuses to read looks like damage.
            let trouble = await rig.lookAtLibrary()
            let message = trouble?.words ?? "The catalogue cannot answer now: \(Catalogue.sentence(for: error))"
            // What is damaged or cannot be decoded stays that way.
            let isPassing = trouble != nil || !Catalogue.isDamage(error) && !(error is DecodingError)
            rig.reply(Refusal(isPassing ? .tryAgain : .unreadable, message), to: caller)
        }
    }

    private func keep(_ geometry: RigGeometry, _ caller: Caller) async throws {
        if let problem = geometry.problem { throw Refusal(.invalid, problem) }
        var geometry = geometry
        (geometry.version, geometry.user) = (0, caller.user)
        // What is brought in holds from now on, by this clock.
        if geometry.captures.isEmpty { geometry.since = Self.utc }
        rig.reply(GeometryReply(geometry: try await rig.keep(geometry)), to: caller)
    }

    private func take(_ request: ArmRequest, _ caller: Caller) async throws {
        let requestID = request.fire.requestID
        if await !rig.knows(requestID), let known = try await catalogue.uniqueID(ofRequest: requestID) {
            throw Refusal(.invalid, "Capture \(known) is not to be armed any more; `volley show \(known)` says more.")
        }
        await rig.take(.armRequested(caller, request, freeBytes: try await rig.freeBytes()))
    }

    /// What the log can be searched by.
    private func about(_ user: NodeName) -> Logger.Metadata { ["operator": "\(user)"] }

    /// Nil for one that cannot be decoded any more.
    private func plan(of capture: UniqueID) async throws -> Plan? {
        do { return try await catalogue.plan(of: capture) } catch is DecodingError { return nil }
    }

    /// A request that a former run knew is the same capture still.
    private func take(_ fire: FireRequest, _ caller: Caller) async throws {
        if await !rig.knows(fire.requestID), let known = try await catalogue.uniqueID(ofRequest: fire.requestID) {
            if let refusal = fire.refusal(of: known, try await plan(of: known)) { throw refusal }
            rig.reply(FireReply(uniqueID: known), to: caller)
        } else {
            await rig.take(.fireRequested(caller, fire, freeBytes: try await rig.freeBytes()))
        }
    }
}
