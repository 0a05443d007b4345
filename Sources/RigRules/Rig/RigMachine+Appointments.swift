import CaptureModel
import RigProtocol

/// Captures that are to be fired at a time, and what would keep their nodes from it.
extension RigMachine {
    /// From when to when a capture needs its nodes: from the orders to prepare to the last exposure.
    typealias Span = ClosedRange<RigTime>

    /// What one takes whose first exposure begins at a time.
    func span(of plan: Plan, at fireAt: RigTime, on names: some Sequence<NodeName>, latest offset: Int64) -> Span {
        // The second round, in which the nodes agree, takes as long again.
        let begin = fireAt + -Self.prepareLimit / (plan.sharesSettings ? 1 : 2)
        return begin...fireAt + offset + plan.leastNanoseconds(names.compactMap { nodes[$0]?.capabilities })
    }

    private func span(of record: CaptureRecord) -> Span? {
        guard case .waiting(let begin) = record.phase, let fireAt = record.fireAt else { return nil }
        let latest = record.parts.values.map(\.offset).max() ?? 0
        return begin...span(of: record.plan, at: fireAt, on: record.nodeNames, latest: latest).upperBound
    }

    /// The appointments of nodes that overlap with a span, the earliest first.
    private func appointments(of names: Set<NodeName>, in span: Span) -> [CaptureRecord] {
        captures.values.filter { record in
            self.span(of: record)?.overlaps(span) == true && record.nodeNames.contains(where: names.contains)
        }.sorted { ($0.fireAt ?? now, $0.uniqueID) < ($1.fireAt ?? now, $1.uniqueID) }
    }

    /// Why nodes cannot keep another appointment: they have one at that time, and whichever begins later would fail.
    ///
    /// - Parameter isPatient: whether it may be fired once they are free.
    func appointmentObjections(
        to span: Span, of names: Set<NodeName>, isPatient: Bool
    ) -> [NodeName: CaptureError] {
        var objections: [NodeName: CaptureError] = [:]
        for other in appointments(of: names, in: span) {
            let isFirst = self.span(of: other).map { span.lowerBound < $0.lowerBound } ?? false
            guard !(isFirst ? other.isPatient : isPatient) else { continue }
            let way = isFirst ? "give another time." : "give another time, or let this one wait."
            let words = "is to fire capture \(other.uniqueID)\(at(other)); \(way)"
            for name in other.nodeNames where names.contains(name) && objections[name] == nil {
                objections[name] = CaptureError(.operationNotAllowed, "Node \(name) \(words)")
            }
        }
        return objections
    }

    /// Which appointments cannot be kept where nodes are taken until a time, in lines.
    func appointmentRemarks(on names: [NodeName], takenUntil end: RigTime) -> [String] {
        guard end > now else { return [] }
        return appointments(of: Set(names), in: now...end).filter { !$0.isPatient }.map { other in
            let shared = other.nodeNames.filter(names.contains).sorted { $0.precedes($1) }.folded
            return "Capture \(other.uniqueID)\(at(other)) needs \(shared), and fails where they are not free by then."
        }
    }

    /// The same for a capture that was accepted.
    func appointmentRemarks(on record: CaptureRecord) -> [String] {
        switch record.phase {
        case .waiting(let begin): return armedRemarks(on: record.nodeNames, from: begin)
        case .preparing where !record.isHeld:
            let cameras = record.nodeNames.compactMap { nodes[$0]?.capabilities }
            let end = (record.fireAt ?? now) + record.plan.leastNanoseconds(cameras)
            return appointmentRemarks(on: record.nodeNames, takenUntil: end)
        case .preparing, .queued, .armed, .fired, .ended: return []
        }
    }

    /// The same for one that is only asked about.
    func appointmentRemarks(on muster: Muster, _ urgency: Urgency, of able: [NodeName]) -> [String] {
        switch urgency {
        case .later(let time, _):
            let begin = span(of: muster.plan, at: time, on: able, latest: 0).lowerBound
            return armedRemarks(on: able, from: begin)
        case .now:
            return appointmentRemarks(on: able, takenUntil: now + muster.leadNanoseconds + muster.leastNanoseconds)
        case .queued: return []
        }
    }

    /// What is armed for longer than until an appointment begins, in lines.
    func armedRemarks(on names: [NodeName], from begin: RigTime) -> [String] {
        captures.keys.sorted().compactMap { id in
            guard let record = captures[id], case .armed(let until, _) = record.phase, until > begin,
                let words = armedWords(id)
            else { return nil }
            let held = record.nodeNames.filter(names.contains).sorted { $0.precedes($1) }
            guard let first = held.first else { return nil }
            return "\(held.count == 1 ? "Node \(first) is" : "Nodes \(held.folded) are") held by \(words)"
        }
    }

    private func at(_ record: CaptureRecord) -> String {
        guard let time = record.appointment else { return "" }
        let user = record.firedBy.map { " of \($0)" } ?? ""
        return "\(user) at \(time.day.text(separator: "-")) \(time.timeOfDay) UTC"
    }
}

extension Plan {
    /// The least time for which a capture exposes, in nanoseconds: a frame each at least.
    func leastNanoseconds(_ cameras: [CameraCapabilities]) -> Int64 {
        let frame = cameras.map(\.frameDurationNanoseconds).max() ?? 0
        return bracket.steps.reduce(0) { $0 + max(frame, $1.exposureDuration.value?.nanoseconds ?? 0) }
    }
}
