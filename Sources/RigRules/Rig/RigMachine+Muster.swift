import CaptureModel
import RigProtocol

/// Which nodes a plan is for, and what they have against it.
extension RigMachine.Node {
    /// How much room a plan's photos take in the library: twice what such photos of this camera took lately, as another
    /// subject has more detail; where there were none, all that they can take.
    fileprivate func expectedByteCount(of plan: Plan) -> Int64 {
        guard let capabilities else { return 0 }
        let largest = plan.largestPhotoByteCount(capabilities)
        return plan.formats.reduce(0) { sum, format in
            sum + Int64(plan.bracket.count) * min(largest, seen[format].map { 2 * $0 } ?? largest)
        }
    }
}

extension RigMachine {
    /// A plan that can be fired, held against the rig.
    struct Muster {
        let plan: Plan
        /// Those that it is for.
        let nodes: [NodeName: Node]
        /// Why some of them cannot take part.
        let objections: [NodeName: CaptureError]
        /// How much later some of them fire.
        let offsets: [NodeName: Int64]
        /// When it is to be fired.
        let urgency: Urgency
        /// For how long an appointment needs them; nil for none.
        let span: ClosedRange<RigTime>?

        /// About the least time from the order to the first exposure: its values come into force on the frames before.
        var leadNanoseconds: Int64 {
            let able = nodes.filter { objections[$0.key] == nil }.values.compactMap(\.capabilities)
            let ways = able.map { camera in
                let delays = camera.controlDelays.map { [$0.exposureDuration, $0.gain, $0.frameDuration] }?.max() ?? 1
                return Int64(delays + 1) * camera.frameDurationNanoseconds
            }
            return max(plan.lead ?? 0, (ways.max() ?? 0) + RigMachine.fireMargin)
        }

    }

    /// When a plan is to be fired, as far as it decides what speaks against it.
    enum Urgency: Equatable {
        case now
        /// Once its nodes are free.
        case queued
        /// By an appointment: what may have changed by then is left out. One that is patient waits where others have its nodes
        /// then.
        case later(at: RigTime, isPatient: Bool)

        var isLater: Bool { if case .later = self { true } else { false } }
    }

    func urgency(of order: FireRequest) -> Urgency {
        if let span = order.at?.span(from: utc), span > Self.prepareLimit {
            return .later(at: now + span, isPatient: order.queue == true)
        }
        return order.queue == true ? .queued : .now
    }

    /// Holds a plan against the rig.
    ///
    /// - Throws: why it is refused before anything is done.
    func muster(_ plan: Plan, _ urgency: Urgency, _ freeBytes: Int64) throws(Refusal) -> Muster {
        if let problem = plan.problem { throw Refusal(.invalid, problem) }
        // Where others may be missing, so may some of a group that have left the rig.
        let nodes = try chosenNodes(
            NodeChoice(
                nodes: plan.nodes, groups: plan.groups, mayLack: plan.policy != .all, outcome: "Nothing was fired"))
        let offsets = offsets(plan, of: nodes.keys)
        let objections = objections(to: plan, of: nodes, urgency)
        var span: ClosedRange<RigTime>?
        if case .later(let time, _) = urgency {
            span = self.span(of: plan, at: time, on: nodes.keys, latest: offsets.values.max() ?? 0)
        }
        let muster = Muster(
            plan: plan, nodes: nodes, objections: objections, offsets: offsets, urgency: urgency, span: span)
        if let refusal = refusal(of: muster, freeBytes) { throw refusal }
        return muster
    }

    /// What would become of a request.
    func check(_ order: FireRequest, of user: NodeName, _ freeBytes: Int64) -> OperatorReply {
        do throws(Refusal) {
            if let refusal = order.refusal(utc) ?? refusal(of: user) { throw refusal }
            let plan = order.plan
            let urgency = urgency(of: order)
            let muster = try muster(plan, urgency, freeBytes)
            let able = muster.nodes.keys.filter { muster.objections[$0] == nil }.sorted { $0.precedes($1) }
            var reply = CheckReply(
                nodes: able, objections: muster.objections.mapValues(\.message),
                expectedPhotoCount: able.reduce(0) { $0 + plan.own(of: $1, groups).expectedPhotoCount },
                leastNanoseconds: leastNanoseconds(of: muster),
                waitsFor: urgency == .queued ? obstacle(to: Set(able), busyNodes()) : nil)
            reply.leadNanoseconds = muster.leadNanoseconds
            reply.remarks = remarks(on: muster, of: able)
            return .checked(reply)
        } catch {
            // What refuses to fire says so in the past tense.
            var refusal = error
            refusal.message = error.message.replacing("Nothing was fired", with: "It would not be fired")
            return .refused(refusal)
        }
    }

    // MARK: Nodes and groups

    /// The groups that a node belongs to; nil for none.
    func groupNames(of node: NodeName) -> [String]? {
        let names = groups.filter { $0.contains(node) }.map(\.name)
        return names.isEmpty ? nil : names
    }

    /// Nodes that somebody names.
    struct NodeChoice {
        /// Of neither these nor groups: all.
        var nodes: [NodePattern]?
        var groups: [String]?
        /// Whether nodes of a group may have left the rig, if not all of them have.
        var mayLack = false
        /// What has not happened where they are refused.
        var outcome: String
    }

    /// The nodes that are meant.
    ///
    /// - Throws: a refusal where something names no node.
    func chosenNodes(_ choice: NodeChoice) throws(Refusal) -> [NodeName: Node] {
        let all = activeNodes
        guard !all.isEmpty else {
            throw Refusal(
                .unavailable,
                "The rig has no nodes; `volley nodes pending` lists boards that ask to join, `volley nodes admit` lets "
                    + "them in.")
        }
        guard choice.nodes != nil || choice.groups != nil else { return all }
        var patterns = choice.nodes ?? []
        try require(patterns, choice)
        for name in choice.groups ?? [] {
            let group = try group(name, choice)
            let isEnough = choice.mayLack && all.keys.contains(where: group.contains)
            if !isEnough { try require(group.nodes, in: name, choice) }
            patterns += group.nodes
        }
        return all.filter { name, _ in patterns.contains { $0.matches(name) } }
    }

    private func group(_ name: String, _ choice: NodeChoice) throws(Refusal) -> NodeGroup {
        if let group = groups.first(where: { $0.name == name }) { return group }
        let known =
            groups.isEmpty
            ? "it has none; the coordinator's configuration names them"
            : "its groups are \(groups.map(\.name).joined(separator: ", "))"
        let meant = Self.meant([name], groups.map(\.name))
        throw Refusal(
            .invalid, "\(choice.outcome): the rig has no group '\(name.printableLine)'; \(known).\(meant)")
    }

    /// What may have been meant by names that there are not, as a sentence to be added.
    private static func meant(_ strangers: [String], _ known: [String]) -> String {
        let meant = strangers.compactMap { known.nearest(to: $0) }
        return meant.isEmpty ? "" : " Did you mean \(meant.joined(separator: ", "))?"
    }

    /// Refuses what names no node that can take part in anything.
    ///
    /// - Parameter group: of which it is; nil where it is of no group.
    private func require(
        _ patterns: [NodePattern], in group: String? = nil, _ choice: NodeChoice
    ) throws(Refusal) {
        let all = activeNodes.keys
        let strangers = patterns.filter { !all.contains(where: $0.matches) }
        guard !strangers.isEmpty else { return }
        let retired = strangers.filter { nodes.keys.contains(where: $0.matches) }
        let remark = retired.isEmpty ? "" : " (\(retired.map(\.rawValue).joined(separator: ", ")): retired)"
        throw Refusal(
            .invalid,
            "\(choice.outcome): \(group.map { "group \($0) names a node that is none: " } ?? "")no node of the rig is called "
                + "\(strangers.map(\.rawValue).joined(separator: " or "))\(remark); its nodes are "
                + "\(all.sorted { $0.precedes($1) }.folded).\(Self.meant(strangers.map(\.rawValue), all.map(\.rawValue)))"
        )
    }

    /// How much later nodes fire than the capture's time: as the plan says, or else as their groups do.
    private func offsets(_ plan: Plan, of nodes: some Sequence<NodeName>) -> [NodeName: Int64] {
        let said = plan.offsets ?? []
        let late = groups.filter { $0.offsetNanoseconds > 0 }
        guard !said.isEmpty || !late.isEmpty else { return [:] }
        var offsets: [NodeName: Int64] = [:]
        for name in nodes {
            let isSaid = said.contains { $0.nodes.matches(name) }
            offsets[name] = isSaid ? plan.offset(of: name) : late.first { $0.contains(name) }?.offsetNanoseconds
        }
        return offsets
    }

    // MARK: What speaks against it

    private func objections(to plan: Plan, of nodes: [NodeName: Node], _ urgency: Urgency) -> [NodeName: CaptureError] {
        let busy = urgency == .now ? busyNodes() : [:]
        let reserved = urgency == .now ? reservedNodes : [:]
        var objections: [NodeName: CaptureError] = [:]
        for (name, node) in nodes {
            var passing = urgency.isLater ? nil : passingObjection(to: plan, of: name, node, busyWith: busy[name])
            if passing == nil, let capture = reserved[name] {
                passing = CaptureError(
                    .operationNotAllowed, "Node \(name) is the next of capture \(capture), which waits for others.")
            }
            let own = plan.own(of: name, groups)
            let violation = node.capabilities?.violations(bracket: plan.bracket, formats: own.formats).first
            let unfit = (own.settings?.first).flatMap { node.capabilities?.objection(to: $0) }
            objections[name] =
                passing ?? (violation?.message ?? unfit).map { CaptureError(.unsupportedSettings, $0) }
                ?? (urgency.isLater
                    ? nil
                    : node.spoolObjection(name, photoCount: own.expectedPhotoCount) { own.largestPhotoByteCount($0) })
        }
        return objections
    }

    /// What may be otherwise in a minute.
    private func passingObjection(
        to plan: Plan, of name: NodeName, _ node: Node, busyWith capture: UniqueID?
    ) -> CaptureError? {
        objection(name, node, busyWith: capture) ?? node.clock.flatMap { plan.objection(to: $0.estimate, of: name) }
    }

    private func refusal(of muster: Muster, _ freeBytes: Int64) -> Refusal? {
        let (plan, nodes, objections) = (muster.plan, muster.nodes, muster.objections)
        let said = objections.mapValues(\.message)
        if let refusal = strangeNames(in: muster) { return refusal }
        if let source = plan.sources.first(where: { objections[$0] != nil }) {
            let message = "Nothing was fired: all nodes are to use the settings of \(source), which cannot take part."
            return Refusal(.unavailable, message, objections: said)
        }
        let quorum = plan.policy.quorum(of: nodes.count)
        if quorum > nodes.count {
            let whole = plan.choosesNodes ? "it chooses" : "the rig has"
            let message = "The plan's policy wants \(quorum) nodes; \(whole) \(nodes.count)."
            return Refusal(.invalid, message, objections: said)
        }
        let able = nodes.count - objections.count
        if able < quorum {
            let isPlan = objections.values.contains { $0.code == .unsupportedSettings }
            let message =
                "Nothing was fired: the policy \(plan.policy) wants \(quorum) of \(nodes.count) nodes, and "
                + "\(able == 0 ? "none" : "only \(able)") can take part."
            let passes = objections.values.allSatisfy { [.operationNotAllowed, .diskFull].contains($0.code) }
            return Refusal(isPlan ? .invalid : passes ? .tryAgain : .unavailable, message, objections: said)
        }
        let needed = nodes.filter { objections[$0.key] == nil }.reduce(Self.libraryReserve) { sum, node in
            let own = plan.own(of: node.key, groups)
            return sum + node.value.expectedByteCount(of: own)
        }
        guard needed > freeBytes else { return nil }
        return Refusal(
            .tryAgain,
            "The library is full: the capture may need \((needed - Self.libraryReserve + 1 << 20 - 1) >> 20) MiB beside the "
                + "\(Self.libraryReserve >> 20) MiB that are kept free, and \(freeBytes >> 20) MiB are free. Free some space "
                + "and fire again.")
    }

    /// Whom the plan names beside those that it is for.
    private func strangeNames(in muster: Muster) -> Refusal? {
        let plan = muster.plan
        let rig = activeNodes.keys
        let named = (plan.offsets ?? []).map(\.nodes) + (plan.settings ?? []).flatMap { $0.nodes ?? [] }
        let groupNames = (plan.settings ?? []).flatMap { $0.groups ?? [] }
        let strangers =
            plan.sources.filter { !rig.contains($0) }.map(\.rawValue)
            + named.filter { !rig.contains(where: $0.matches) }.map(\.rawValue)
            + groupNames.filter { name in !groups.contains { $0.name == name } }.map { "group \($0)" }
        guard strangers.isEmpty else {
            let message =
                "The plan names \(strangers.joined(separator: ", ")), which the rig does not have; its nodes are "
                + "\(rig.sorted { $0.precedes($1) }.folded)."
            return Refusal(.invalid, message)
        }
        guard let source = plan.sources.first(where: { muster.nodes[$0] == nil }) else { return nil }
        return Refusal(
            .invalid,
            "Nothing was fired: all nodes are to use the settings of \(source), which is not among the nodes that the "
                + "plan chooses.")
    }
}
