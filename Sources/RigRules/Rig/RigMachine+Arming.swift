import CaptureModel
import RigProtocol

/// Captures whose nodes hold everything ready until somebody presses the shutter.
extension RigMachine {
    mutating func armRequested(_ caller: Caller, _ request: ArmRequest, _ freeBytes: Int64) -> [RigEffect] {
        guard request.fire.at == nil else {
            let refusal = Refusal(.invalid, "What is armed has no time of its own: leave out `at`.")
            return [.reply(.refused(refusal), to: caller)]
        }
        guard let id = requests[request.fire.requestID], accepting[id] == nil else {
            return fireRequested(caller, request.fire, freeBytes, isHeld: true)
        }
        // The answer was lost.
        guard let record = captures[id], record.isHeld, record.phase.isDeciding else {
            let refusal = Refusal(.invalid, "Capture \(id) is not to be armed any more; `volley show \(id)` says more.")
            return [.reply(.refused(refusal), to: caller)]
        }
        if let refusal = request.fire.refusal(of: id, record.plan, record.tags) {
            return [.reply(.refused(refusal), to: caller)]
        }
        captures[id]?.armers.append(caller)
        return decide(id)
    }

    /// Notes that nodes hold a capture ready, and says so to those who wait for it.
    mutating func arm(_ id: UniqueID, _ ready: [NodeName]) -> [RigEffect] {
        guard let record = captures[id] else { return [] }
        if !record.phase.isArmed { captures[id]?.phase = .armed(until: now + record.plan.armedLimit, renewed: now) }
        guard let armed = captures[id] else { return [] }
        captures[id]?.armers = []
        let objections = armed.nodeNames.compactMap { name in armed.parts[name]?.error.map { (name, $0.message) } }
        var reply = ArmReply(
            uniqueID: id, nodes: ready.sorted { $0.precedes($1) },
            objections: FoldedReasons.lines(Dictionary(uniqueKeysWithValues: objections)),
            leadNanoseconds: lead(of: armed, ready))
        if !armed.armers.isEmpty { reply.remarks = remarks(on: armed) }
        let replies = armed.armers.map { RigEffect.reply(.armed(reply), to: $0) }
        guard !record.phase.isArmed else { return replies }
        let news = progress(of: armed)
        let state = CatalogueChange.captureState(
            id, .preparing, reason: CaptureSummary.armedReason, fireRigTime: nil, at: utc)
        return replies + [.commit([state, .news(news)], then: publish(news))]
    }

    /// Has nodes go on holding what is armed, or gives it up.
    mutating func renew(_ id: UniqueID, _ until: RigTime, _ renewed: RigTime) -> [RigEffect] {
        let gone = putOutThoseGone(id)
        guard let record = captures[id], record.phase.isArmed else { return gone }
        let ready = record.nodeNames.filter { record.parts[$0]?.timing != nil }
        if now > until {
            let minutes = record.plan.armedLimit / .seconds(60)
            let span =
                minutes % 60 == 0
                ? "\(minutes / 60) h" : minutes > 0 ? "\(minutes) min" : "\(record.plan.armedLimit / .seconds(1)) s"
            return gone + giveUp(id, ready, CaptureError(.stalled, "It was armed for \(span), and nobody fired it."))
        }
        guard now - renewed >= Self.armedRenewal else { return gone }
        captures[id]?.phase = .armed(until: until, renewed: now)
        return gone + ready.flatMap { tell($0, .prepare(record.prepare($0, groups, sharing: record.shared))) }
    }

    /// Puts out the nodes that cannot fire what they were to hold: their camera or clock was lost, or they have not said
    /// for a while that they hold it.
    private mutating func putOutThoseGone(_ id: UniqueID) -> [RigEffect] {
        guard let record = captures[id] else { return [] }
        return record.nodeNames.flatMap { name -> [RigEffect] in
            guard let part = record.parts[name], part.timing != nil else { return [] }
            let silence = CaptureError(.stalled, "Node \(name) does not hold it ready any more.")
            let isSilent = now - part.lastProgress > 3 * Self.armedRenewal
            guard let error = nodes[name].flatMap({ objection(name, $0, busyWith: nil) }) ?? (isSilent ? silence : nil)
            else { return [] }
            return putOut(name, of: id, error)
        }
    }

    /// Fires what is armed.
    ///
    /// - Parameter id: which capture; nil where one alone is.
    mutating func released(_ id: UniqueID?, _ caller: Caller) -> [RigEffect] {
        let armed = captures.keys.sorted().filter { captures[$0]?.phase.isArmed ?? false }
        guard let id = id ?? (armed.count == 1 ? armed.first : nil), armed.contains(id) else {
            let refusal =
                switch (id, armed.isEmpty) {
                case (let id?, _): Refusal(.notUnderWay, "Capture \(id) is not armed.")
                case (nil, true): Refusal(.notUnderWay, "Nothing is armed; `volley arm PLAN` does that.")
                case (nil, false):
                    Refusal(.invalid, "Several captures are armed; say which.", details: armed.map(\.description))
                }
            return [.reply(.refused(refusal), to: caller)]
        }
        let gone = putOutThoseGone(id)
        guard let record = captures[id], record.phase.isArmed else {
            return gone + [.reply(.refused(refusal(of: id)), to: caller)]
        }
        // What passes does not cost what is armed.
        if let problem = spreadObjection(record, record.nodeNames.filter { record.parts[$0]?.timing != nil }) {
            return gone + [.reply(.refused(Refusal(.tryAgain, problem.message)), to: caller)]
        }
        captures[id]?.isHeld = false
        // The orders first.
        return gone + decide(id) + [.reply(.fired(FireReply(uniqueID: id)), to: caller)]
    }

    /// `capture 17…, which ada armed at 14:37:02 UTC until 15:37:02; fire it ..., or let it go ...`; nil where it is not armed.
    func armedWords(_ id: UniqueID) -> String? {
        guard let record = captures[id], case .armed(let until, _) = record.phase else { return nil }
        let end = utc + (until - now)
        let since = end - record.plan.armedLimit
        return
            "capture \(id), which \(record.firedBy.map { "\($0)" } ?? "somebody") armed at \(since.timeOfDay) UTC, until "
            + "\(end.timeOfDay): fire it (`volley fire --armed`), or let it go (`volley cancel`)."
    }

    /// What is said to somebody who wanted a capture that has ended.
    func refusal(of id: UniqueID) -> Refusal {
        guard case .ended(_, let reason?)? = captures[id]?.phase else {
            return Refusal(.unavailable, "Nothing was fired: capture \(id) was let go.")
        }
        return Refusal(.unavailable, "Nothing was fired: \(reason)")
    }
}
