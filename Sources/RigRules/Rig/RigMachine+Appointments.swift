package import CaptureModel
import RigProtocol

/// Captures that are to be fired at a time, and what would keep their nodes from it.
extension RigMachine {
    /// How long after its last exposure a capture keeps its nodes, about: they read out, encode, and say so.
    private static let readout = Int64.seconds(1)
    /// How many appointments are told of; more are counted.
    private static let mostRemarks = 3

    /// From when to when an appointment needs its nodes: from the orders to prepare until they are done.
    ///
    /// - Parameter latest: how much later than `fireAt` the last of the nodes fires, in nanoseconds.
    func span(
        of plan: Plan, at fireAt: RigTime, on nodes: some Collection<NodeName>, latest: Int64
    ) -> ClosedRange<RigTime> {
        // The second round, in which the nodes agree, takes as long again.
        let begin = fireAt + -Self.prepareLimit / (plan.sharesSettings ? 1 : 2)
        return begin...fireAt + latest + leastNanoseconds(of: plan, on: nodes) + Self.readout
    }

    /// The least time for which a plan exposes, in nanoseconds: a frame for each step at least. What the automatic will
    /// choose is not known.
    private func leastNanoseconds(of plan: Plan, on names: some Collection<NodeName>) -> Int64 {
        let frame = names.compactMap { nodes[$0]?.capabilities?.frameDurationNanoseconds }.max() ?? 0
        let isSet =
            plan.settings == nil || plan.bracket.kind == .autoExposure
            ? 0 : names.compactMap { plan.settings(of: $0, groups)?.camera.exposureDuration?.nanoseconds }.max() ?? 0
        return plan.bracket.steps.reduce(0) { $0 + max(frame, $1.exposureDuration.value?.nanoseconds ?? isSet) }
    }

    /// The least time for which a capture would occupy those of its nodes that can take part.
    func leastNanoseconds(of muster: Muster) -> Int64 {
        let able = muster.nodes.keys.filter { muster.objections[$0] == nil }
        return (able.compactMap { muster.offsets[$0] }.max() ?? 0) + leastNanoseconds(of: muster.plan, on: able)
    }

    /// The appointments that overlap with a span and take nodes of these, the earliest first.
    private func appointments(of names: Set<NodeName>, in span: ClosedRange<RigTime>) -> [CaptureRecord] {
        captures.values.filter { record in
            guard record.span?.overlaps(span) == true, !record.state.isFinal else { return false }
            return names.contains(where: record.takes)
        }.sorted { ($0.fireAt ?? now, $0.uniqueID) < ($1.fireAt ?? now, $1.uniqueID) }
    }

    /// The captures that count on a node and are not fired yet, the oldest first.
    package func unfiredCaptures(countingOn name: NodeName) -> [UniqueID] {
        captures(countingOn: name).filter { captures[$0]?.phase.isFired == false }
    }

    /// Writes down when a capture is to be fired, and which of its nodes have left the rig meanwhile.
    func note(appointment record: CaptureRecord) -> [RigEffect] {
        guard record.isAppointment, let time = record.appointment else { return [] }
        let gone = record.nodeNames.filter { record.takes($0) && nodes[$0] == nil }
        let remark =
            switch gone.count {
            case 0: ""
            case 1: " Node \(gone.folded), which it counts on, does not belong to the rig any more."
            case _: " Nodes \(gone.folded), which it counts on, do not belong to the rig any more."
            }
        return note("It fires at \(time.day.text(separator: "-")) \(time.timeOfDay) UTC.\(remark)", of: record.uniqueID)
    }

    /// Which appointments are in the way of a capture that takes nodes for a span, or it in theirs, in lines.
    ///
    /// - Parameters:
    ///   - isPatient: whether it waits where others have its nodes.
    ///   - capture: the one that takes them, where it is.
    private func appointmentRemarks(
        on names: [NodeName], in span: ClosedRange<RigTime>, isPatient: Bool = false, besides capture: UniqueID? = nil
    ) -> [String] {
        let names = Set(names)
        let lines = appointments(of: names, in: span).filter { $0.uniqueID != capture }.compactMap { other -> String? in
            guard let needed = other.span?.lowerBound else { return nil }
            let needs =
                "Capture \(other.uniqueID)\(Self.owner(other)) needs \(names.filter(other.takes).folded) from "
                + "\((utc + (needed - now)).timeOfDay) on"
            // The same time of day is not the same instant of rig time each time that it is computed.
            guard span.lowerBound + .milliseconds(10) < needed else {
                return isPatient ? nil : needs + "; this one goes without what is not free again by then."
            }
            if case .waiting = other.phase, !other.isPatient {
                return needs + ", and goes without what is not free by then."
            }
            return nil
        }
        let more = lines.count - Self.mostRemarks
        return lines.prefix(Self.mostRemarks) + (more > 0 ? ["\(more) more appointments need them."] : [])
    }

    /// What somebody may not expect of a capture that was accepted, in lines; nil for nothing.
    func remarks(on record: CaptureRecord) -> [String]? {
        let names = record.nodeNames
        let lines = remarks(on: record.plan, of: names) + passingRemarks(on: record, names)
        return lines.isEmpty ? nil : lines
    }

    private func passingRemarks(on record: CaptureRecord, _ names: [NodeName]) -> [String] {
        switch record.phase {
        case .waiting:
            return record.span.map { remarks(onAppointmentOf: names, in: $0, record.isPatient, record.uniqueID) } ?? []
        case .armed(let until, _):
            return until < now
                ? [] : appointmentRemarks(on: names.filter { record.parts[$0]?.timing != nil }, in: now...until)
        case .preparing where !record.isHeld:
            let latest = record.parts.values.map(\.offset).max() ?? 0
            let taken =
                record.span
                ?? span(
                    of: record.plan, at: now + (record.plan.lead ?? 0), on: names, latest: latest)
            return appointmentRemarks(on: names, in: now...max(now, taken.upperBound), besides: record.uniqueID)
        case .preparing, .queued, .fired, .ended: return []
        }
    }

    /// The same of one that is only asked about.
    func remarks(on muster: Muster, of able: [NodeName]) -> [String]? {
        let passing =
            switch muster.urgency {
            case .later(_, let isPatient):
                muster.span.map { remarks(onAppointmentOf: able, in: $0, isPatient) } ?? []
            case .now:
                appointmentRemarks(
                    on: able, in: now...now + muster.leadNanoseconds + leastNanoseconds(of: muster) + Self.readout)
            case .queued: [String]()
            }
        let lines = remarks(on: muster.plan, of: able) + passing
        return lines.isEmpty ? nil : lines
    }

    private func remarks(
        onAppointmentOf names: [NodeName], in span: ClosedRange<RigTime>, _ isPatient: Bool, _ id: UniqueID? = nil
    ) -> [String] {
        appointmentRemarks(on: names, in: span, isPatient: isPatient, besides: id)
            + (isPatient ? [] : armedRemarks(on: names, from: span.lowerBound))
    }

    /// What is still armed when an appointment begins, in lines.
    private func armedRemarks(on names: [NodeName], from begin: RigTime) -> [String] {
        captures.keys.sorted().compactMap { id in
            guard let record = captures[id], case .armed(let until, _) = record.phase, until > begin,
                let words = armedWords(id)
            else { return nil }
            let held = names.filter { record.parts[$0]?.timing != nil }
            guard let first = held.first else { return nil }
            return "\(held.count == 1 ? "Node \(first) is" : "Nodes \(held.folded) are") held by \(words)"
        }
    }

    /// ` of ada at 2026-11-21 18:00:00 UTC`.
    private static func owner(_ record: CaptureRecord) -> String {
        guard let time = record.appointment else { return "" }
        let user = record.firedBy.map { " of \($0)" } ?? ""
        return "\(user) at \(time.day.text(separator: "-")) \(time.timeOfDay) UTC"
    }
}

extension CaptureRecord {
    /// Whether its time has not come.
    fileprivate var isAppointment: Bool { if case .waiting = phase { true } else { false } }
    /// Whether it has, or is still to have, a node.
    fileprivate func takes(_ name: NodeName) -> Bool { parts[name].map { !$0.isSettled && !$0.hasEnded } ?? false }
}
