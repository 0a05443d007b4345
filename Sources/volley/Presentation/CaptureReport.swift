import CaptureModel
import Foundation

/// Everything about one capture, for a person.
struct CaptureReport {
    let capture: CaptureDetail

    var text: String {
        [header, steps, spreads, failures, timeline].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var header: String {
        let summary = capture.summary
        var lines = [
            "Plan \(summary.planName), policy \(capture.policy), \(Sentences.zonedTime(summary.createdAt))"
        ]
        if let user = summary.firedBy { lines[0] += ", fired by \(user)" }
        if let user = capture.cancelledBy { lines.append("Cancelled by \(user)") }
        if let session = summary.session { lines.append("Session \(session)") }
        if !summary.labels.isEmpty {
            lines.append(summary.labels.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "))
        }
        let outcome = "Capture \(summary.uniqueID)  \(Sentences.outcome(summary))"
        return ([outcome] + lines.map(\.printableLine)).joined(separator: "\n")
    }

    /// Nodes by steps: what was requested, what was obtained, and whether that was verified.
    private var steps: String {
        let counts = Set(capture.photos.map(\.record.sequenceCount)).sorted()
        guard !counts.isEmpty else { return "" }
        var table = Table(["NODE", "STATE"] + counts.map { "STEP \($0)" })
        for node in capture.nodes {
            let cells = counts.map { count in
                cell(capture.photos.filter { $0.node == node.node && $0.record.sequenceCount == count })
            }
            table.add([node.node.rawValue, node.state.rawValue] + cells)
        }
        return table.text
    }

    private func cell(_ photos: [StoredPhoto]) -> String {
        guard let photo = photos.first(where: { $0.record.error == nil }) ?? photos.first else { return "missing" }
        let record = photo.record
        if let error = record.error { return "failed (\(error.code.rawValue))" }
        let asked = Sentences.exposure(record.requested.duration, record.requested.iso)
        let got = Sentences.exposure(
            record.verified?.duration ?? record.applied?.duration, record.verified?.iso ?? record.applied?.iso)
        let bias = record.requested.exposureTargetBias.map { String(format: "%+g EV ", $0) } ?? ""
        let stored = photos.filter { $0.path != nil }.count
        let word = record.verification?.name ?? "-"
        return "\(bias)\(asked == got || got == "-" ? asked : "\(asked) -> \(got)") \(word) \(stored)/\(photos.count)"
    }

    private var spreads: String {
        guard !capture.spreads.isEmpty else { return "" }
        var table = Table(["STEP", "NODES", "SPREAD", "KNOWN TO"])
        for spread in capture.spreads {
            table.add([
                "\(spread.sequenceCount)", "\(spread.nodeCount)", Sentences.milliseconds(spread.spreadNanoseconds),
                "±" + Sentences.milliseconds(spread.uncertaintyNanoseconds),
            ])
        }
        var lines = [table.text]
        if capture.spreads.contains(where: { $0.uncertaintyNanoseconds > $0.spreadNanoseconds }) {
            lines.append("A spread smaller than its uncertainty cannot be told from zero.")
        }
        if let predicted = capture.predictedSpread {
            lines.append("Predicted before firing: \(Sentences.milliseconds(predicted)) apart.")
        }
        if let limit = capture.maxSpread { lines.append("The plan allows \(Sentences.milliseconds(limit)).") }
        for node in capture.nodes where node.clockStatus == "freeRun" {
            let bound = node.clockBound.map { ", good to ±\(Sentences.milliseconds($0))" } ?? ""
            lines.append("\(node.node): its clock ran free\(bound).")
        }
        return lines.joined(separator: "\n")
    }

    private var failures: String {
        let nodes = capture.nodes.compactMap { node in node.reason.map { "\(node.node): \($0)" } }
        let photos = capture.photos.compactMap { photo in
            photo.record.error.map {
                "\(photo.node) photo \(photo.record.photoCount) (step \(photo.record.sequenceCount), "
                    + "\(photo.record.format.rawValue)): \($0.message)"
            }
        }
        let all = nodes + photos
        return all.isEmpty ? "" : (["What went wrong:"] + all.map { "  \($0.printableLine)" }).joined(separator: "\n")
    }

    private var timeline: String {
        guard !capture.events.isEmpty else { return "" }
        var table = Table(["AFTER FIRE", "NODE", "NO.", "EVENT", "STEP", "PHOTO"])
        for event in capture.events {
            let time = event.rigTime.flatMap { time in capture.fireRigTime.map { Sentences.milliseconds(time - $0) } }
            table.add([
                time ?? "-", event.node.rawValue, "\(event.sequence)", event.kind.rawValue,
                event.sequenceCount.map(String.init) ?? "", event.photoCount.map(String.init) ?? "",
            ])
        }
        return table.text
    }
}
