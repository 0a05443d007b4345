import CaptureModel
import Programs
import RigProtocol

/// A capture that is still to be fired, in a line.
struct PendingRow {
    let id, plan, words: String

    init(_ capture: PendingReply.Capture) {
        (id, plan) = ("\(capture.uniqueID)", capture.planName.printableLine)
        let place = [capture.session, capture.subject].compactMap(\.self).joined(separator: ", ").printableLine
        let user = capture.firedBy.map { " by \($0)" } ?? ""
        words =
            "of \(capture.nodes.folded)\(user)" + (place.isEmpty ? "" : " (\(place))") + ": " + Self.standing(capture)
    }

    /// What it waits for, in words.
    private static func standing(_ capture: PendingReply.Capture) -> String {
        switch capture.standing {
        case .appointed:
            capture.at.map { "at \(Sentences.zonedTime($0)), in \(Sentences.countdown(to: $0))" } ?? ""
        case .queued: capture.waitsFor.map { "waits for capture \($0)" } ?? "waits for its nodes"
        case .preparing: "its nodes make ready"
        case .armed: "armed; its page has the shutter"
        }
    }

    /// What somebody who is about to press the shutter is to know; nil where the capture is not armed.
    ///
    /// - Parameter pending: what else is still to be fired.
    static func shutter(_ capture: PendingReply.Capture, among pending: [PendingReply.Capture]) -> String? {
        guard let until = capture.armedUntil else { return nil }
        let lead = capture.leadNanoseconds.map {
            "; the first exposure begins \(Sentences.milliseconds($0)) after the shutter"
        }
        let words = "Armed: \(capture.nodes.folded)\(lead ?? ""). They hold it until \(Sentences.zonedTime(until))."
        // Its nodes would be busy then.
        let next = pending.filter { $0.at.map { $0 < until } == true && !Set($0.nodes).isDisjoint(with: capture.nodes) }
            .min { ($0.at ?? until) < ($1.at ?? until) }
        guard let next, let time = next.at else { return words }
        return words + " Capture \(next.uniqueID) needs them at \(Sentences.zonedTime(time))."
    }
}
