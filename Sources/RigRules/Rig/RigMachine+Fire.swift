import CaptureModel
import RigClock
import RigProtocol

extension RigMachine {
    // MARK: A request becomes a capture

    mutating func fireRequested(
        _ caller: Caller, _ request: FireRequest, _ freeBytes: Int64, isHeld: Bool = false
    ) -> [RigEffect] {
        if let id = requests[request.requestID] {
            if let record = captures[id],
                let refusal = request.refusal(of: id, record.plan, record.tags, at: record.wanted)
            {
                return [.reply(.refused(refusal), to: caller)]
            }
            guard isHeld || captures[id]?.isHeld != true else {
                let message = "Capture \(id) has this request's ID and is armed, or about to be: release it."
                return [.reply(.refused(Refusal(.invalid, message)), to: caller)]
            }
            guard let waiting = accepting[id] else { return [.reply(.fired(reply(id)), to: caller)] }
            // They get the answer that the first one gets.
            accepting[id] = waiting + [caller]
            return []
        }
        if let refusal = request.refusal(utc) { return [.reply(.refused(refusal), to: caller)] }
        if let refusal = refusal(of: caller.user) { return [.reply(.refused(refusal), to: caller)] }
        let fireAt = request.at.map { now + $0.span(from: utc) }
        let urgency = urgency(of: request)
        let muster: Muster
        do throws(Refusal) {
            muster = try self.muster(request.plan, urgency, freeBytes)
        } catch {
            return [.reply(.refused(error), to: caller)]
        }
        let (id, plan) = (allocator.next(at: utc), muster.plan)
        let parts = muster.nodes.keys.map { name in
            let phase: CapturePart.Phase = muster.objections[name].map { .out($0) } ?? .preparing
            var part = CapturePart(plan.own(of: name, groups).debt, phase: phase, lastProgress: now)
            part.offset = muster.offsets[name] ?? 0
            return (name, part)
        }
        var record = CaptureRecord(
            uniqueID: id, plan: plan, createdAt: utc, phase: .preparing(deadline: now + Self.prepareLimit),
            parts: CaptureParts(Dictionary(uniqueKeysWithValues: parts)), touched: now)
        (record.fireAt, record.wanted, record.appointment) = (fireAt, request.at, request.at?.time(utc))
        (record.firedBy, record.isPatient, record.isHeld) = (caller.user, request.queue ?? false, isHeld)
        record.tags = request.tags
        record.phase = .preparing(deadline: prepareDeadline(record))
        // One whose time is near begins at once, and is in the way of others until it is over.
        record.span =
            muster.span
            ?? fireAt.map { span(of: plan, at: $0, on: muster.nodes.keys, latest: muster.offsets.values.max() ?? 0) }
        if let span = muster.span {
            record.phase = .waiting(until: span.lowerBound)
        } else if record.isPatient, obstacle(to: record, busyNodes()) != nil {
            record.phase = .queued
            queue.append(id)
        }
        captures[id] = record
        requests[request.requestID] = id
        accepting[id] = [caller]
        return [accept(record, request, of: caller.user)]
    }

    /// Why an operator fires nothing more for now; nil where nothing is in the way.
    func refusal(of user: NodeName) -> Refusal? {
        guard captures.values.count(where: { $0.firedBy == user && !$0.state.isFinal }) >= Self.mostOfOneOperator else {
            return nil
        }
        return Refusal(
            .tryAgain,
            "Nothing was fired: \(Self.mostOfOneOperator) captures of \(user) are not over yet; wait, or cancel some.")
    }

    /// Nodes that have not answered by then are out; one that is slow must not make the others late.
    private func prepareDeadline(_ record: CaptureRecord) -> RigTime {
        let usual = now + Self.prepareLimit
        guard let fireAt = record.fireAt, !record.isPatient else { return usual }
        return min(usual, max(now + .milliseconds(500), fireAt + -.seconds(1)))
    }

    /// Why a node cannot take part in anything now, or any more.
    private func objection(_ name: NodeName, busyWith capture: UniqueID?) -> CaptureError? {
        guard let node = nodes[name] else {
            return CaptureError(.nodeUnreachable, "Node \(name) does not belong to the rig any more.")
        }
        return objection(name, node, busyWith: capture)
    }

    /// Writes down why a capture has not begun; nil where nothing is in its way any more.
    func note(_ reason: String?, of id: UniqueID) -> [RigEffect] {
        [.commit([.captureState(id, .preparing, reason: reason, fireRigTime: nil, at: utc)], then: [])]
    }

    /// Its time has come: asks the nodes to prepare.
    mutating func begin(_ id: UniqueID) -> [RigEffect] {
        guard let record = captures[id], accepting[id] == nil else { return [] }
        let hadReason = record.phase.isBeforehand
        let deadline = prepareDeadline(record)
        captures[id]?.phase = .preparing(deadline: deadline)
        let busy = busyNodes(besides: id)
        return (hadReason ? note(nil, of: id) : [])
            + record.nodeNames.filter { record.parts[$0]?.phase == .preparing }.flatMap { name -> [RigEffect] in
                guard let problem = objection(name, busyWith: busy[name]) else {
                    return tell(name, .prepare(record.prepare(name, groups)))
                }
                return putOut(name, of: id, problem)
            } + decide(id)
    }

    private func accept(_ record: CaptureRecord, _ request: FireRequest, of user: NodeName) -> RigEffect {
        let id = record.uniqueID
        var changes: [CatalogueChange] = [
            .capture(
                NewCapture(
                    uniqueID: id, requestID: request.requestID, firedBy: user, plan: record.plan,
                    session: request.session, subject: request.subject, labels: request.labels,
                    createdAt: record.createdAt, nodes: record.nodeNames, formats: formats(of: record)))
        ]
        for name in record.nodeNames where record.parts[name]?.phase != .preparing {
            if let change = record.change(of: name) { changes.append(change) }
        }
        return .accept(id, changes)
    }

    /// Those of nodes that have others than the plan.
    private func formats(of record: CaptureRecord) -> [NodeName: [PhotoFormat]] {
        var formats: [NodeName: [PhotoFormat]] = [:]
        for (name, part) in record.parts where part.debt.formats != record.plan.formats {
            formats[name] = part.debt.formats
        }
        return formats
    }

    /// Nothing is done for a capture, and nobody hears of it, before it is durable.
    mutating func accepted(_ id: UniqueID) -> [RigEffect] {
        let callers = accepting.removeValue(forKey: id) ?? []
        if !withdrawn.isEmpty { withdrawn.subtract(requests.filter { $0.value == id }.keys) }
        guard let record = captures[id] else { return [] }
        let news = progress(of: record)
        let reply = reply(id)
        // Those who wait for it to be armed hear of that, or that it will not be.
        if record.isHeld {
            if case .ended = record.phase { return callers.map { .reply(.refused(refusal(of: id)), to: $0) } }
            captures[id]?.armers = callers
        }
        let replies =
            (record.isHeld ? [] : callers).map { [reply] in RigEffect.reply(.fired(reply), to: $0) }
            + (reply.waitsFor.map { note(waiting: id, for: $0) } ?? []) + note(appointment: record) + [
                .commit([.news(news)], then: publish(news))
            ]
        guard case .preparing = record.phase else { return replies }
        let deadline = prepareDeadline(record)
        captures[id]?.phase = .preparing(deadline: deadline)
        return replies
            + record.nodeNames.filter { record.parts[$0]?.phase == .preparing }.flatMap { name in
                tell(name, .prepare(record.prepare(name, groups)))
            }
    }

    mutating func acceptFailed(_ id: UniqueID, _ reason: String) -> [RigEffect] {
        let callers = accepting.removeValue(forKey: id) ?? []
        captures[id] = nil
        withdrawn.formUnion(requests.filter { $0.value == id }.keys)
        requests = requests.filter { $0.value != id }
        let refusal = Refusal(.tryAgain, "The library cannot take a capture now: \(reason)")
        // It may have got as far as the catalogue.
        return [.commit([.captureWithdrawn(id)], then: [])] + callers.map { .reply(.refused(refusal), to: $0) }
    }

    // MARK: Preparing

    mutating func prepared(
        _ node: NodeName, _ prepared: Prepared
    ) -> [RigEffect] {
        guard let part = captures[prepared.uniqueID]?.parts[node] else { return [] }
        switch part.phase {
        case .preparing:
            if let error = objection(to: prepared, of: node) {
                return putOut(node, of: prepared.uniqueID, error)
            }
            captures[prepared.uniqueID]?.parts[node]?.phase = .prepared(prepared)
            captures[prepared.uniqueID]?.parts[node]?.lastProgress = now
            // Newer than the last heartbeat's.
            if let clock = prepared.clock { note(clock, of: node, isNew: false) }
            return decide(prepared.uniqueID)
        case .out:
            // It was given up meanwhile.
            return tell(node, .cancel(Cancel(uniqueID: prepared.uniqueID)))
        case .prepared:
            captures[prepared.uniqueID]?.parts[node]?.lastProgress = now
            return []
        case .owing, .settled:
            return []
        }
    }

    /// Why a node cannot take part with what it has prepared: one that is slower than any camera would keep the others
    /// waiting for as long as it says.
    private func objection(to prepared: Prepared, of node: NodeName) -> CaptureError? {
        let plan = captures[prepared.uniqueID]?.plan
        if plan?.own(of: node, groups).settings != nil, prepared.hasSettings != true {
            return CaptureError(
                .unsupportedSettings, "Its release knows no settings beside a bracket; update it, or leave them out.")
        }
        guard prepared.timing.isPlausible, prepared.settled.isPlausible, prepared.starts?.isPlausible ?? true else {
            return CaptureError(.unsupportedSettings, "It asks for an impossible timing.")
        }
        // The slowest controls act after ten frames.
        let usual = max(Self.longestLead, 12 * min(prepared.timing.frameDurationNanoseconds, .seconds(10)))
        if let longest = prepared.timing.stepNanoseconds.max(), longest > NodeMachine.longestStep {
            return CaptureError(
                .unsupportedSettings,
                "It takes \(longest / 1_000_000_000) s for one exposure; a node may take "
                    + "\(NodeMachine.longestStep / 1_000_000_000) s.")
        }
        let most = max(usual, plan?.lead ?? 0)
        guard prepared.timing.leadNanoseconds > most else { return nil }
        return CaptureError(
            .unsupportedSettings,
            "It needs \(prepared.timing.leadNanoseconds / 1_000_000_000) s before its first exposure; a node may take "
                + "\(most / 1_000_000_000) s, or as long as the plan's lead where that is longer.")
    }

    mutating func refused(_ node: NodeName, _ refused: Refused) -> [RigEffect] {
        guard let part = captures[refused.uniqueID]?.parts[node] else { return [] }
        switch part.phase {
        case .preparing, .prepared:
            return putOut(node, of: refused.uniqueID, refused.error)
        case .owing where part.receivedThrough == 0:
            // Fired too late, or its clock was lost: it owes nothing, since nothing of it happened.
            return putOut(node, of: refused.uniqueID, refused.error)
        case .owing, .out, .settled:
            return []
        }
    }

    mutating func putOut(
        _ node: NodeName, of id: UniqueID, _ error: CaptureError
    ) -> [RigEffect] {
        captures[id]?.parts[node]?.phase = .out(error)
        return keep(node, of: id) + tell(node, .cancel(Cancel(uniqueID: id))) + decide(id) + conclude(id)
    }

    /// Fires, or arms, when every node has answered and enough are ready; gives up when they are not.
    mutating func decide(_ id: UniqueID) -> [RigEffect] {
        guard let record = captures[id], record.phase.isDeciding,
            !record.parts.values.contains(where: { $0.phase == .preparing })
        else { return [] }
        let ready = record.nodeNames.filter { if case .prepared = record.parts[$0]?.phase { true } else { false } }
        if let problem = problem(record, ready) { return giveUp(id, ready, problem) }
        guard record.plan.sharesSettings, record.shared == nil else {
            return record.isHeld ? arm(id, ready) : fire(id, ready)
        }
        guard let shared = sharedSettings(record, ready) else {
            let error = CaptureError(
                .policyNotMet,
                "Nothing was fired: the exposure or white balance that all are to use is not known; it was to come "
                    + "from \(record.plan.sources.isEmpty ? "the nodes' metering" : record.plan.sources.joined(separator: " and "))."
            )
            return giveUp(id, ready, error)
        }
        captures[id]?.shared = shared
        let deadline = prepareDeadline(record)
        captures[id]?.phase = .preparing(deadline: deadline)
        return ready.flatMap { name in
            captures[id]?.parts[name]?.phase = .preparing
            return tell(name, .prepare(record.prepare(name, groups, sharing: shared)))
        }
    }

    /// Why nothing can be fired; nil where it can.
    private func problem(_ record: CaptureRecord, _ ready: [NodeName]) -> CaptureError? {
        if record.isCancelled { return CaptureError(.policyNotMet, "The capture was cancelled.") }
        if ready.count < record.plan.policy.quorum(of: record.parts.count) {
            return CaptureError(
                .policyNotMet, "Nothing was fired: the other nodes did not meet the policy \(record.plan.policy).")
        }
        // What is armed is judged by that at the shutter.
        return record.isHeld ? nil : spreadObjection(record, ready)
    }

    mutating func giveUp(
        _ id: UniqueID, _ ready: [NodeName], _ error: CaptureError
    ) -> [RigEffect] {
        ready.flatMap { name in
            captures[id]?.parts[name]?.phase = .out(error)
            return keep(name, of: id) + tell(name, .cancel(Cancel(uniqueID: id)))
        } + conclude(id)
    }

    private mutating func fire(
        _ id: UniqueID, _ ready: [NodeName]
    ) -> [RigEffect] {
        guard let record = captures[id] else { return [] }
        let time = fireTime(of: record, ready)
        let stepOffsets = CaptureTiming.stepOffsets(of: ready.compactMap { record.parts[$0]?.timing })
        var changes: [CatalogueChange] = [
            .captureState(id, .firing, reason: nil, fireRigTime: time, at: utc),
            .captureSync(id, predictedSpread: predictedSpread(ready), maxSpread: record.plan.maxSpread),
        ]
        var effects: [RigEffect] = []
        for name in ready {
            let offset = record.parts[name]?.offset ?? 0
            captures[id]?.parts[name]?.phase = .owing
            if let camera = nodes[name]?.capabilities {
                captures[id]?.parts[name]?.largestFile =
                    2 * record.plan.own(of: name, groups).largestPhotoByteCount(camera)
                let used = CameraUsed(camera, software: nodes[name]?.software)
                changes.append(.captureNodeCamera(id, node: name, used))
            }
            captures[id]?.parts[name]?.lastProgress = time + offset + (stepOffsets.last ?? 0)
            let clock = nodes[name]?.clock?.estimate
            changes.append(
                .captureNodeSync(
                    id, node: name, offset: offset, clockStatus: clock?.status.rawValue,
                    clockBound: clock?.boundNanoseconds))
            effects += tell(name, .fire(Fire(uniqueID: id, rigTime: time + offset, stepOffsets: stepOffsets)))
        }
        captures[id]?.phase = .fired(time)
        guard let fired = captures[id] else { return effects }
        changes += ready.compactMap { fired.change(of: $0) }
        let news = progress(of: fired)
        return effects + [.commit(changes + [.news(news)], then: publish(news))]
    }

    // MARK: Giving up

    mutating func cancelRequested(
        _ caller: Caller, _ id: UniqueID
    ) -> [RigEffect] {
        guard let record = captures[id], !record.state.isFinal else {
            let message = "Capture \(id) is not under way; there is nothing to cancel."
            return [.reply(.refused(Refusal(.notUnderWay, message)), to: caller)]
        }
        captures[id]?.isCancelled = true
        var effects: [RigEffect] = [
            .commit([.captureCancelled(id, by: caller.user, at: utc)], then: []),
            .reply(.fired(FireReply(uniqueID: id)), to: caller),
        ]
        let error = CaptureError(.operationCancelled, "The capture was cancelled.")
        for name in record.nodeNames where record.parts[name]?.isSettled == false {
            effects += tell(name, .cancel(Cancel(uniqueID: id)))
            if record.parts[name]?.phase == .preparing { captures[id]?.parts[name]?.phase = .out(error) }
        }
        return effects + decide(id) + conclude(id)
    }

    /// A node that restarted holds nothing ready any more.
    mutating func dropUnfired(
        _ node: NodeName, _ message: String
    ) -> [RigEffect] {
        captures.keys.sorted().flatMap { id -> [RigEffect] in
            if captures[id]?.phase.isBeforehand ?? true { return [] }
            switch captures[id]?.parts[node]?.phase {
            case .preparing, .prepared:
                return putOut(node, of: id, CaptureError(.nodeUnreachable, message))
            case .owing, .out, .settled, nil:
                return []
            }
        }
    }

    /// Writes down where a node's part stands.
    func keep(_ node: NodeName, of id: UniqueID, _ others: [CatalogueChange] = []) -> [RigEffect] {
        guard let change = captures[id]?.change(of: node) else { return [] }
        return [.commit(others + [change], then: [])]
    }

    func tell(_ node: NodeName, _ message: CoordinatorMessage) -> [RigEffect] {
        nodes[node]?.peer.map { [.send(message, to: $0)] } ?? []
    }

    /// How a capture is doing, as news.
    mutating func progress(of record: CaptureRecord) -> News {
        var reason: String?
        switch record.phase {
        case .ended(_, let why): reason = why
        case .armed: reason = CaptureSummary.armedReason
        case .waiting, .queued, .preparing, .fired: break
        }
        return news(
            .capture(
                record.uniqueID, record.state, reason: reason, storedPhotoCount: record.parts.storedPhotoCount,
                expectedPhotoCount: record.parts.expectedPhotoCount))
    }

    /// Announces news, which is in the catalogue by then.
    func publish(_ news: News) -> [RigEffect] { [.publish(Notice(news))] }
}
