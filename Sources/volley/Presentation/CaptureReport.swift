import CaptureModel
import Foundation
import Programs

/// Everything about one capture, for a person.
struct CaptureReport {
    let capture: CaptureDetail
    /// Whether every event is listed.
    var hasEvents = false
    /// The most characters on a line of a table; nil for any number.
    var width = Table.terminalWidth

    var text: String {
        [header, steps, spreads, failures, hasEvents ? timeline : ""].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var header: String {
        let summary = capture.summary
        var lines = [
            "Plan \(summary.planName), policy \(capture.policy), \(Sentences.zonedTime(summary.createdAt))"
        ]
        if let user = summary.firedBy { lines[0] += ", fired by \(user)" }
        if summary.isArmed { lines.append("`volley fire --armed` fires it, `volley cancel` lets it go.") }
        if let user = capture.cancelledBy { lines.append("Cancelled by \(user)") }
        if let time = summary.deletedAt {
            let user = summary.deletedBy.map { " by \($0)" } ?? ""
            lines.append("Deleted on \(Sentences.zonedTime(time))\(user)")
        }
        if let session = summary.session { lines.append("Session \(session)") }
        if let subject = summary.subject { lines.append("Subject \(subject), take \(summary.take ?? 1)") }
        let opinion = Sentences.opinion(summary.rating, summary.isRejected)
        if !opinion.isEmpty { lines.append(summary.rating == nil ? "Rejected" : "Rating \(opinion)") }
        if let note = summary.note { lines.append("Note: \(note)") }
        for photo in capture.photos {
            let opinion = Sentences.opinion(photo.rating, photo.isRejected)
            guard !opinion.isEmpty || photo.note != nil else { continue }
            let words = [opinion, photo.note ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
            lines.append("\(photo.node) step \(photo.record.sequenceCount) \(photo.record.format.rawValue): \(words)")
        }
        if !summary.labels.isEmpty {
            lines.append(summary.labels.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "))
        }
        let outcome = "Capture \(summary.uniqueID)  \(Sentences.outcome(summary))"
        let late = Dictionary(grouping: capture.nodes.filter { $0.offset > 0 }, by: \.offset)
        for (offset, nodes) in late.sorted(by: { $0.key < $1.key }) {
            lines.append("\(nodes.map(\.node).folded) fired \(Sentences.milliseconds(offset)) later")
        }
        return ([outcome] + lines.map(\.printableLine)).joined(separator: "\n")
    }

    /// Nodes by steps: what was requested, what was obtained, and whether that was verified.
    private var steps: String {
        let counts = Set(capture.photos.map(\.record.sequenceCount)).sorted()
        guard !counts.isEmpty else { return "" }
        let photos = Dictionary(grouping: capture.photos, by: \.node)
        let rows = capture.nodes.sorted { $0.node.precedes($1.node) }.map { node in
            let cells = counts.map { count in
                cell((photos[node.node] ?? []).filter { $0.record.sequenceCount == count })
            }
            return (nodes: [node.node], cells: [node.state.rawValue] + cells)
        }
        // Steps that are alike on every node, as in a burst, are told together.
        let runs = Self.runs(counts.indices.map { index in rows.map { $0.cells[index + 1] } })
        let heads = runs.map {
            $0.count == 1
                ? "STEP \(counts[$0.lowerBound])" : "STEPS \(counts[$0.lowerBound])-\(counts[$0.upperBound - 1])"
        }
        var table = Table(["NODE", "STATE"] + heads, endsInRemarks: false)
        for row in rows.count > Self.mostAlone ? Self.folded(rows) : rows {
            table.add([row.nodes.folded, row.cells[0]] + runs.map { row.cells[$0.lowerBound + 1] })
        }
        return table.text(width: width)
    }

    /// Ranges of equal neighbours.
    private static func runs(_ columns: [[String]]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in columns.indices {
            if let last = runs.last, columns[last.lowerBound] == columns[index] {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    /// Of more steps only the widest are told.
    private static let mostSpreads = 12

    /// More nodes than this are told together where they are of one mind.
    private static let mostAlone = 12

    private static func folded(_ rows: [(nodes: [NodeName], cells: [String])]) -> [(nodes: [NodeName], cells: [String])]
    {
        Dictionary(grouping: rows, by: \.cells)
            .map { (nodes: $0.value.flatMap(\.nodes), cells: $0.key) }
            .sorted { $0.nodes[0].precedes($1.nodes[0]) }
    }

    private func cell(_ photos: [StoredPhoto]) -> String {
        guard let photo = photos.first(where: { $0.record.error == nil }) ?? photos.first else { return "missing" }
        let record = photo.record
        if record.error != nil { return "failed" }
        let asked = Sentences.exposure(record.requested.duration, record.requested.iso, record.requested.gain)
        let got = Sentences.exposure(
            record.verified?.duration ?? record.applied?.duration, record.verified?.iso ?? record.applied?.iso,
            record.requested.gain == nil ? nil : record.verified?.gain ?? record.applied?.gain)
        let bias = record.requested.exposureTargetBias.map { String(format: "%+g EV ", $0) } ?? ""
        let stored = photos.filter { $0.path != nil }.count
        let word = record.verification?.name ?? "-"
        let exposure = "\(bias)\(asked == got || got == "-" ? asked : "\(asked) -> \(got)")"
        let deleted = photos.count { $0.deletedAt != nil }
        let missing =
            stored == photos.count ? [] : deleted == photos.count ? ["deleted"] : ["\(stored)/\(photos.count)"]
        return ([exposure] + Self.settings(record) + [word] + missing).joined(separator: " ")
    }

    /// What else a step of its bracket set.
    private static func settings(_ record: PhotoRecord) -> [String] {
        let lens = (record.appliedLensPosition ?? record.requested.lensPosition).map { String(format: "focus %g", $0) }
        let white = (record.appliedWhiteBalance ?? record.requested.whiteBalance).map { white in
            switch white {
            case .temperatureAndTint(let white):
                String(format: "%.0f K", white.temperature)
                    + (white.tint == 0 ? "" : String(format: " tint %+.0f", white.tint))
            case .gains(let gains): String(format: "RGB %.2f %.2f %.2f", gains.red, gains.green, gains.blue)
            }
        }
        return [lens, white].compactMap(\.self)
    }

    private var spreads: String {
        guard !capture.spreads.isEmpty else { return "" }
        var table = Table(["STEP", "NODES", "SPREAD", "KNOWN TO"])
        let widest = capture.spreads.sorted { $0.spreadNanoseconds > $1.spreadNanoseconds }.prefix(Self.mostSpreads)
        for spread in widest.sorted(by: { $0.sequenceCount < $1.sequenceCount }) {
            table.add([
                "\(spread.sequenceCount)", "\(spread.nodeCount)", Sentences.milliseconds(spread.spreadNanoseconds),
                "±" + Sentences.milliseconds(spread.uncertaintyNanoseconds),
            ])
        }
        var lines = [table.text(width: width)]
        if capture.spreads.count > widest.count {
            lines.append("The widest \(widest.count) of \(capture.spreads.count) steps; --json has all.")
        }
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
        let reasons = capture.nodes.compactMap { node in node.reason.map { (node.node, $0) } }
        let nodes = FoldedReasons.lines(Dictionary(reasons) { first, _ in first })
        let all = nodes + lostPhotos
        return all.isEmpty ? "" : (["What went wrong:"] + all.map { "  \($0.printableLine)" }).joined(separator: "\n")
    }

    /// A node's photos that failed for one reason, told by ranges.
    private var lostPhotos: [String] {
        var counts: [String: [Int]] = [:]
        var order: [String] = []
        for photo in capture.photos {
            guard let error = photo.record.error else { continue }
            let key = "\(photo.node)\n\(error.message)"
            if counts[key] == nil { order.append(key) }
            counts[key, default: []].append(photo.record.photoCount)
        }
        return order.map { key in
            let parts = key.split(separator: "\n", maxSplits: 1)
            let numbers = counts[key] ?? []
            return "\(parts[0]), \(numbers.count == 1 ? "photo" : "photos") \(Sentences.ranges(numbers)): \(parts[1])"
        }
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
        return table.text(width: width)
    }
}
