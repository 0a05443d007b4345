package import CaptureModel
import RigClock
package import RigProtocol

extension RigMachine {
    // MARK: Membership

    mutating func setMembers(_ book: Members) -> [RigEffect] {
        let members = book.active.union(book.retired)
        let new = members.subtracting(nodes.keys).sorted()
        for name in new { nodes[name] = Node() }
        var effects: [RigEffect] = []
        let gone = nodes.keys.filter { !members.contains($0) }.sorted()
        for name in gone {
            if nodes[name]?.isConnected == true {
                effects += lose(name, "Node \(name) does not belong to the rig any more.")
            }
            nodes[name] = nil
        }
        for name in members { nodes[name]?.isRetired = !book.active.contains(name) }
        // One that is admitted in the place of another, under its name, fires for it.
        let changed = Set(new).union(gone)
        effects += captures.keys.sorted().compactMap { captures[$0] }
            .filter { record in changed.contains { record.parts[$0] != nil } }.flatMap(note(appointment:))
        return new.isEmpty ? effects : effects + [.commit(new.map { .node(name: $0, nil, at: utc) }, then: [])]
    }

    /// The nodes that take part in new captures.
    var activeNodes: [NodeName: Node] { nodes.filter { !$0.value.isRetired } }

    /// The captures that count on a node: what it owes, and appointments.
    package func captures(countingOn name: NodeName) -> [UniqueID] {
        captures.keys.sorted().filter { captures[$0]?.parts[name]?.isSettled == false }
    }

    /// The number of captures of which a node's spool holds something; nil where that is not known.
    package func keepsCount(of name: NodeName) -> Int? {
        nodes[name].flatMap { $0.isConnected ? $0.keepsCount : nil }
    }

    /// What becomes of a node that is retired, in a sentence.
    private func retirement(_ name: NodeName, _ node: Node) -> String {
        let keeps =
            switch keepsCount(of: name) {
            case 0?: captures(countingOn: name).first.map { "capture \($0) counts on it" } ?? "it owes nothing any more"
            case 1?: "it still has photos of a capture to deliver"
            case let count?: "it still has photos of \(count) captures to deliver"
            case nil where node.isConnected: "what it still has to deliver is not known"
            case nil: "it is unreachable, and what it still has to deliver is not known"
            }
        return "Node \(name) is retired; \(keeps)."
    }

    /// Has a node's board blink, or says why it cannot.
    func identify(_ request: IdentifyRequest, _ caller: Caller) -> [RigEffect] {
        if let refusal = objection(to: request) { return [.reply(.refused(refusal), to: caller)] }
        return tell(request.node, .identify(Identify(seconds: request.seconds))) + [
            .reply(.nodes(NodesReply(nodes: summaries())), to: caller)
        ]
    }

    private func objection(to request: IdentifyRequest) -> Refusal? {
        guard (1...Identify.longest).contains(request.seconds) else {
            return Refusal(.invalid, "A light blinks for 1 to \(Identify.longest) s.")
        }
        guard let node = nodes[request.node] else {
            return Refusal(.notFound, "There is no node '\(request.node)'; `volley nodes` lists them.")
        }
        guard node.isConnected else { return Refusal(.tryAgain, "Node \(request.node) is unreachable.") }
        guard node.board?.light != nil else {
            return Refusal(
                .unavailable,
                "Node \(request.node) has no light that it may switch, or is of an older release; `volley-node doctor` on "
                    + "its board says more.")
        }
        return nil
    }

    /// Why a node cannot get another name now, under which nobody would know what it has; nil where it can.
    package func objection(toRenaming name: NodeName) -> Refusal? {
        guard let node = nodes[name] else { return nil }
        guard node.isConnected else {
            return Refusal(
                .tryAgain, "Node \(name) is unreachable; whether it still has photos of captures is unknown.")
        }
        let counting = captures(countingOn: name)
        guard counting.isEmpty else {
            let ids = counting.map(\.description).joined(separator: ", ")
            return Refusal(.tryAgain, "Captures count on node \(name) under this name: \(ids).")
        }
        guard node.keepsCount == 0 else {
            let message = "Node \(name) may still have photos to deliver under this name"
            return Refusal(.tryAgain, message + (node.keepsCount == nil ? ", or is too old to say so." : "."))
        }
        return nil
    }

    /// - Parameter isNew: whether it comes a second after the last one; otherwise it replaces that.
    mutating func note(_ clock: ClockReport, of node: NodeName, isNew: Bool = true) {
        guard clock.isPlausible else { return }
        let former = nodes[node]?.clocks ?? []
        nodes[node]?.clocks = (isNew ? former : former.dropLast()).suffix(Self.rememberedClocks - 1) + [clock]
    }

    mutating func fromNode(
        _ peer: Peer, _ user: NodeName, _ message: NodeMessage
    ) -> [RigEffect] {
        if case .hello(let hello) = message { return greet(peer, user, hello) }
        guard let node = nodes[user], node.isConnected, node.peer == peer else {
            return [.send(.rejected(Rejected(.unknownNode, "Say hello first.")), to: peer)]
        }
        nodes[user]?.lastHeard = now
        switch message {
        case .hello:
            return []
        case .heartbeat(let heartbeat):
            if let clock = heartbeat.clock { note(clock, of: user) }
            let room = 0...Int64(1) << 53
            nodes[user]?.spoolFreeBytes = heartbeat.spoolFreeBytes.flatMap { room.contains($0) ? $0 : nil }
            nodes[user]?.keepsCount = heartbeat.keepsCount.flatMap { room.contains(Int64($0)) ? $0 : nil }
            nodes[user]?.board = heartbeat.board.flatMap { $0.isPlausible ? $0 : nil }
            return []
        case .prepared(let prepared): return self.prepared(user, prepared)
        case .refused(let refused): return self.refused(user, refused)
        case .event(let report): return received(report.event, from: user)
        case .camera(let report): return cameraReported(user, report)
        case .goodbye: return lose(user, "Node \(user) was stopped.")
        }
    }

    /// A node of another release may say hello in a way that this one cannot read.
    mutating func unreadable(_ peer: Peer, _ user: NodeName, _ error: WireError) -> [RigEffect] {
        guard error.code == .versionMismatch else { return [] }
        nodes[user]?.rejection = (error.message, now)
        return [.send(.rejected(Rejected(.versionMismatch, error.message)), to: peer)]
    }

    private mutating func greet(
        _ peer: Peer, _ user: NodeName, _ hello: Hello
    ) -> [RigEffect] {
        guard WireVersion.isShared(with: hello.versions) else {
            let (oldest, newest) = (hello.versions.first ?? 0, hello.versions.last ?? 0)
            let message =
                "Node '\(user)' speaks versions \(oldest) to \(newest) of the protocol, this coordinator "
                + "\(WireVersion.oldest) to \(WireVersion.current); update the older one."
            nodes[user]?.rejection = (message, now)
            return [
                .send(.rejected(Rejected(.versionMismatch, message)), to: peer), .report(Report(message, node: user)),
            ]
        }
        let known = nodes[user] ?? Node()
        let isAlive = known.isConnected && known.lastHeard.map { now - $0 <= Self.liveness } ?? false
        if isAlive, known.instance != hello.instance {
            let message =
                "Another node with the key of '\(user)' was heard from in the last \(Self.liveness / 1_000_000_000) s. If this "
                + "one was restarted, it is let in after that time; else one is a copy of the other: stop it, remove its "
                + "key, and it makes a new one."
            return [.send(.rejected(Rejected(.nameInUse, message)), to: peer), .report(Report(message, node: user))]
        }
        // No coordinator starts in the future: that one's clock was wrong, and its nodes would obey nobody else.
        let isMisled = utc > Self.earliest && hello.epoch > max(welcome.epoch, (utc + Self.epochTolerance).rawValue)
        guard hello.epoch <= welcome.epoch || isMisled else {
            let message =
                "Node '\(user)' obeys a coordinator that started after this one. Stop one of the two; the one that is "
                + "started last gets the nodes, if its clock is right."
            nodes[user]?.rejection = (message, now)
            return [.send(.rejected(Rejected(.superseded, message)), to: peer), .report(Report(message, node: user))]
        }
        observe(hello.lastUniqueID)
        var effects: [RigEffect] = []
        if !known.instance.isEmpty, known.instance != hello.instance {
            effects += dropUnfired(user, "Node \(user) was restarted.")
        }
        var node = known
        node.peer = peer
        node.instance = hello.instance
        (node.capabilities, node.cameraError) = (hello.capabilities, hello.cameraError)
        node.software = hello.software
        if let problem = hello.capabilities?.implausible {
            // What it has of former captures is welcome.
            (node.capabilities, node.cameraError) = (nil, CaptureError(.unsupportedSettings, problem))
            if known.cameraError != node.cameraError {
                effects.append(.report(Report("Node \(user): \(problem)", node: user)))
            }
        }
        node.lastHeard = now
        // What it said before may have come before a capture.
        node.keepsCount = nil
        (node.isConnected, node.rejection) = (true, nil)
        if known.instance != hello.instance { node.clocks = [] }
        nodes[user] = node
        if !known.isConnected || known.instance != hello.instance {
            effects.append(.report(Report("Node \(user) joined.", node: user)))
        }
        effects += settleForgotten(by: user, hello.lastUniqueID)
        var welcome = welcome
        welcome.node = user
        if isMisled {
            welcome.replaces = hello.epoch
            effects.append(
                .report(
                    Report(
                        "Node \(user) obeyed a coordinator whose clock was days ahead; it obeys this one now.",
                        node: user)))
        }
        return effects + [
            .commit(
                [.node(name: user, node.capabilities, software: node.software, at: utc)],
                then: [.send(.welcome(welcome), to: peer)]
                    + releases(of: user, to: peer))
        ]
    }

    /// A node that comes back and remembers nothing of a capture will not pay for it.
    private mutating func settleForgotten(
        by node: NodeName, _ lastUniqueID: UniqueID
    ) -> [RigEffect] {
        let error = CaptureError(.nodeUnreachable, "Node \(node) came back without anything of this capture.")
        return captures.keys.sorted().filter { $0 > lastUniqueID && captures[$0]?.parts[node]?.phase == .owing }
            .flatMap { settle($0, node, captures[$0]?.restart(before: node) ?? error) }
    }

    /// Tells a node to let go of captures that it was excluded from while it could not hear.
    private func releases(of node: NodeName, to peer: Peer) -> [RigEffect] {
        captures.keys.sorted().compactMap { id in
            guard case .out? = captures[id]?.parts[node]?.phase else { return nil }
            return .send(.cancel(Cancel(uniqueID: id)), to: peer)
        }
    }

    /// Notes an id that a node remembers, unless it lies so far ahead that it would spoil all later ids.
    mutating func observe(_ id: UniqueID) {
        if id.rawValue < (utc + Self.idTolerance).rawValue { allocator.observe(id) }
    }

    /// Treats a node as gone: what it owes is settled with errors, until it comes back.
    mutating func lose(_ name: NodeName, _ message: String) -> [RigEffect] {
        nodes[name]?.isConnected = false
        nodes[name]?.peer = nil
        nodes[name]?.rejection = nil
        let error = CaptureError(.nodeUnreachable, message)
        var effects: [RigEffect] = [.stopPulling(node: name), .report(Report(message, node: name))]
        for id in captures.keys.sorted() {
            effects += settle(id, name, error)
        }
        return effects + endInquiries(of: name)
    }

    // MARK: What an operator sees

    func summaries() -> [NodeSummary] {
        let busy = busyNodes()
        return nodes.keys.sorted().compactMap { name in nodes[name].map { summary(name, $0, busyWith: busy[name]) } }
    }

    /// The nodes that are exposing or encoding, and for which capture; they are free again while their photos are
    /// fetched, and until an appointment is near.
    func busyNodes(besides capture: UniqueID? = nil) -> [NodeName: UniqueID] {
        var busy: [NodeName: UniqueID] = [:]
        for (id, record) in captures where id != capture {
            if record.phase.isBeforehand || record.parts.unsettledCount == 0 { continue }
            for (name, part) in record.parts where !part.isSettled && !part.hasEnded {
                busy[name] = min(id, busy[name] ?? id)
            }
        }
        return busy
    }

    private func summary(_ name: NodeName, _ node: Node, busyWith capture: UniqueID?) -> NodeSummary {
        let problem = objection(name, node, busyWith: capture)
        let state: NodeSummary.State =
            switch problem?.code {
            case nil: .ready
            case .operationNotAllowed: .busy
            case .nodeUnreachable: .unreachable
            case .clockNotSynchronised: .clockUnsynchronised
            case .diskFull: .spoolFull
            default: .cameraMissing
            }
        var summary = NodeSummary(
            name: name, state: node.isRetired ? .retired : state, capabilities: node.capabilities, clock: node.clock,
            lastSeen: node.lastHeard, problem: node.isRetired ? retirement(name, node) : problem?.message,
            software: node.software, instance: node.instance.isEmpty ? nil : node.instance, groups: groupNames(of: name)
        )
        summary.setByHand = node.board?.setByHand
        return summary
    }

    /// What an automatic bracket begins from where it was set by hand, whoever did so for which customer, in lines.
    func remarks(on plan: Plan, of names: some Sequence<NodeName>) -> [String] {
        guard plan.bracket.kind == .autoExposure else { return [] }
        let said = names.compactMap { name in nodes[name]?.board?.setByHand.map { (name, "set by hand: \($0)") } }
        guard !said.isEmpty else { return [] }
        return FoldedReasons.lines(Dictionary(said) { first, _ in first }) + [
            "An automatic bracket begins from that; `volley camera reset` takes it back."
        ]
    }

    /// Why a node cannot take part in any capture now; nil where it can.
    ///
    /// - Parameter busyWith: from ``busyNodes(besides:)``.
    func objection(_ name: NodeName, _ node: Node, busyWith capture: UniqueID?) -> CaptureError? {
        guard node.isConnected else {
            let isKnown = node.lastHeard != nil
            let silence = isKnown ? "is unreachable." : "has not been seen since the coordinator started."
            let rejection = node.rejection.flatMap { now - $0.at < Self.rejectionLimit ? $0.reason : nil }
            return CaptureError(.nodeUnreachable, rejection ?? "Node \(name) \(silence)")
        }
        if let error = node.cameraError { return error }
        guard node.capabilities != nil else {
            return CaptureError(.deviceNotConnected, "Node \(name) is still opening its camera.")
        }
        guard node.clock?.estimate.isKnown ?? false else {
            let status = node.clock?.estimate.status ?? .unavailable
            return CaptureError(
                .clockNotSynchronised,
                "The clock of node \(name) is \(status.rawValue); it is active about two seconds after the node joins.")
        }
        if let capture {
            let words = armedWords(capture).map { "Node \(name) is held by \($0)" }
            return CaptureError(.operationNotAllowed, words ?? "Node \(name) is busy with capture \(capture).")
        }
        return node.spoolObjection(name, photoCount: 1) { $0.largestPhotoByteCount(of: [.jpeg]) }
    }

    mutating func announceNodes() -> [RigEffect] {
        var effects: [RigEffect] = []
        for summary in summaries() where nodes[summary.name]?.announced != summary.state {
            // A node that comes and goes is announced once a second at most.
            if let last = nodes[summary.name]?.announcedAt, now - last < .seconds(1) { continue }
            nodes[summary.name]?.announced = summary.state
            nodes[summary.name]?.announcedAt = now
            // What a node says about its camera may be of any length.
            let problem = summary.problem.map { String($0.prefix(300)) }
            let news = news(.node(name: summary.name, state: summary.state.rawValue, problem: problem))
            let notice = NodeNotice(number: news.number, previous: news.previous, node: summary)
            effects.append(.commit([.news(news)], then: [.publish(.node(notice))]))
        }
        return effects
    }
}

extension CameraCapabilities {
    /// Why there can be no such camera, so that no arithmetic on its numbers overflows; nil where there can.
    fileprivate var implausible: String? {
        let isSane =
            (1...1 << 16).contains(dimensions.width) && (1...1 << 16).contains(dimensions.height)
            // Beyond that, one photo would fill a library, and one frame keep all other nodes waiting.
            && dimensions.width * dimensions.height <= 1 << 28
            && (1...Int64.seconds(10)).contains(frameDurationNanoseconds)
            && (0...Bracket.maximumCount).contains(maxBracketedCapturePhotoCount)
            && (controlDelays.map { [$0.exposureDuration, $0.gain, $0.frameDuration] } ?? [])
                .allSatisfy((1...1000).contains)
        return isSane
            ? nil : "This camera's capabilities are impossible: \(dimensions), \(frameDurationNanoseconds) ns a frame."
    }
}
