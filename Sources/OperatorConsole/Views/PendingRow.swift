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
            capture.at.map { "at \(Sentences.zonedTime($0)), in \(Sentences.span(max(0, $0 - .now)))" } ?? ""
        case .queued: capture.waitsFor.map { "waits for capture \($0)" } ?? "waits for its nodes"
        case .preparing: "its nodes make ready"
        case .armed: "armed; its page has the shutter"
        }
    }

    /// What somebody who is about to press the shutter is to know; nil where the capture is not armed.
    static func shutter(_ capture: PendingReply.Capture) -> String? {
        guard let until = capture.armedUntil else { return nil }
        let lead = capture.leadNanoseconds.map {
            "; the first exposure begins \(Sentences.milliseconds($0)) after the shutter"
        }
        return "Armed: \(capture.nodes.folded)\(lead ?? ""). They hold it until \(Sentences.zonedTime(until))."
    }
}
