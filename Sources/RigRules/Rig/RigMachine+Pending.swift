import CaptureModel
import RigProtocol

/// Captures that are still to be fired.
extension RigMachine {
    /// In the order in which they were asked for.
    var pending: PendingReply {
        PendingReply(captures: captures.keys.sorted().compactMap { captures[$0].flatMap(pending) })
    }

    /// How one stands; nil where it was fired, or has ended.
    private func pending(_ record: CaptureRecord) -> PendingReply.Capture? {
        guard accepting[record.uniqueID] == nil, let standing = standing(record) else { return nil }
        let nodes = record.nodeNames.filter { if case .out = record.parts[$0]?.phase { false } else { true } }
        var capture = PendingReply.Capture(
            uniqueID: record.uniqueID, standing: standing, planName: record.plan.name, session: record.tags.session,
            subject: record.tags.subject, firedBy: record.firedBy, nodes: nodes.sorted { $0.precedes($1) },
            at: record.appointment)
        if case .armed(let until, _) = record.phase {
            capture.armedUntil = utc + (until - now)
            capture.leadNanoseconds = lead(of: record, nodes)
        }
        if case .queued = record.phase { capture.waitsFor = obstacle(to: record, busyNodes()) }
        return capture
    }

    private func standing(_ record: CaptureRecord) -> PendingReply.Capture.Standing? {
        switch record.phase {
        case .waiting: .appointed
        case .queued: .queued
        case .preparing: .preparing
        case .armed: .armed
        case .fired, .ended: nil
        }
    }
}
