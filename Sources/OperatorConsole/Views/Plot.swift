import CaptureModel
import Foundation

/// Marks on rows over an axis of time, as SVG; what it shows stands in a table as well.
struct Plot {
    struct Mark {
        enum Shape {
            case dot
            /// From its time on, for as long, in milliseconds.
            case bar(Double)
        }

        /// In milliseconds.
        let time: Double
        var shape = Shape.dot
        /// How well the time is known, in milliseconds; nil where that is not said.
        var bound: Double?
        /// What its colour says.
        var kind = ""
        /// What is said of it where the pointer rests.
        let words: String
    }

    struct Row {
        let name: String
        let marks: [Mark]
    }

    private static let (width, left, right, rowHeight) = (960.0, 130.0, 20.0, 22.0)

    let title: String
    let rows: [Row]

    /// Nil where there is nothing to be seen.
    var svg: String? {
        let spans = rows.flatMap(\.marks).map { mark in
            let end = if case .bar(let length) = mark.shape { mark.time + length } else { mark.time }
            return (mark.time - (mark.bound ?? 0), end + (mark.bound ?? 0))
        }
        guard let low = spans.map(\.0).min(), let high = spans.map(\.1).max() else { return nil }
        let axis = Axis(low, high, from: Self.left, to: Self.width - Self.right)
        let height = Double(rows.count) * Self.rowHeight + 50
        let escape = EscapedHTML().escapeText
        var text =
            "<svg class=\"plot\" viewBox=\"0 0 \(Self.width) \(height)\" role=\"img\" aria-label=\"\(escape(title))\">"
        for tick in axis.ticks {
            let x = Self.number(axis.place(tick))
            text += "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"10\" y2=\"\(height - 35)\"/>"
            text += "<text x=\"\(x)\" y=\"\(height - 18)\" text-anchor=\"middle\">\(axis.label(tick))</text>"
        }
        text += "<text x=\"\(Self.width - Self.right)\" y=\"\(height - 2)\" text-anchor=\"end\">ms</text>"
        for (index, row) in rows.enumerated() {
            let y = (Double(index) + 0.5) * Self.rowHeight + 10
            text += "<text x=\"0\" y=\"\(y + 5)\">\(escape(row.name))</text>"
            text += row.marks.map { Self.svg($0, at: y, axis) }.joined()
        }
        return text + "</svg>"
    }

    private static func svg(_ mark: Mark, at y: Double, _ axis: Axis) -> String {
        let x = axis.place(mark.time)
        var text = ""
        if let bound = mark.bound {
            let (from, to) = (axis.place(mark.time - bound), axis.place(mark.time + bound))
            text += "<line class=\"bound\" x1=\"\(number(from))\" x2=\"\(number(to))\" y1=\"\(y)\" y2=\"\(y)\"/>"
        }
        let title = "<title>\(EscapedHTML().escapeText(mark.words))</title>"
        switch mark.shape {
        case .dot:
            return text
                + "<circle class=\"\(mark.kind)\" cx=\"\(number(x))\" cy=\"\(y)\" r=\"4.5\">\(title)</circle>"
        case .bar(let length):
            let width = max(1, axis.place(mark.time + length) - x)
            return text
                + "<rect class=\"\(mark.kind)\" x=\"\(number(x))\" y=\"\(y - 6)\" width=\"\(number(width))\" height=\"12\">"
                + "\(title)</rect>"
        }
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    /// Where times lie, with ticks at round ones.
    private struct Axis {
        private let (low, high): (Double, Double)
        private let (start, end): (Double, Double)
        private let step: Double

        init(_ low: Double, _ high: Double, from start: Double, to end: Double) {
            let span = max(high - low, 1e-3)
            (self.low, self.high) = (low - span * 0.02, low + span * 1.02)
            (self.start, self.end) = (start, end)
            let rough = span / 6
            let power = pow(10, floor(log10(rough)))
            step = power * ([1, 2, 5].first { $0 * power >= rough } ?? 10)
        }

        var ticks: [Double] { Array(stride(from: (low / step).rounded(.up) * step, through: high, by: step)) }

        func place(_ time: Double) -> Double { start + (time - low) / (high - low) * (end - start) }

        func label(_ tick: Double) -> String {
            String(format: "%.\(max(0, Int(-floor(log10(step)))))f", abs(tick) < step / 2 ? 0 : tick)
        }
    }
}

extension Plot {
    /// When each node exposed each step, after the shutter.
    init(exposuresOf capture: CaptureDetail) {
        let shutter = capture.fireRigTime?.nanoseconds ?? 0
        let photos = Dictionary(grouping: Self.started(capture)) { $0.photo.node }
        title = "When each node exposed each step, after the shutter"
        rows = photos.sorted { $0.key.precedes($1.key) }.map { node, photos in
            Row(
                name: node.rawValue,
                marks: photos.map { photo, start in
                    let record = photo.record
                    let duration = (record.verified ?? record.applied)?.duration ?? record.requested.duration
                    return Mark(
                        time: Self.milliseconds(start - shutter),
                        shape: .bar(duration.map { Self.milliseconds($0.nanoseconds) } ?? 0),
                        bound: record.exposureStartUncertaintyNanoseconds.map(Self.milliseconds), kind: "exposure",
                        words: "\(node), step \(max(1, record.sequenceCount))")
                })
        }
    }

    /// How much later than the first each node began each step.
    init(spreadOf capture: CaptureDetail) {
        let steps = Dictionary(grouping: Self.started(capture)) { max(1, $0.photo.record.sequenceCount) }
        title = "How much later than the first each node began each step"
        rows = steps.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { step, photos in
            let first = photos.map(\.start).min() ?? 0
            return Row(
                name: "Step \(step)",
                marks: photos.map { photo, start in
                    Mark(
                        time: Self.milliseconds(start - first),
                        bound: photo.record.exposureStartUncertaintyNanoseconds.map(Self.milliseconds),
                        kind: "exposure", words: photo.node.rawValue)
                })
        }
    }

    /// The callbacks of every node, after the shutter.
    init(eventsOf capture: CaptureDetail) {
        title = "The callbacks of every node, after the shutter"
        let shutter = capture.fireRigTime
        let events = Dictionary(grouping: capture.events) { $0.node }
        rows =
            shutter == nil
            ? []
            : events.sorted { $0.key.precedes($1.key) }.map { node, events in
                Row(
                    name: node.rawValue,
                    marks: events.compactMap { event in
                        guard let time = event.rigTime, let shutter else { return nil }
                        return Mark(
                            time: Self.milliseconds(time.nanoseconds - shutter.nanoseconds), kind: event.kind.rawValue,
                            words: "\(node): \(event.kind.rawValue)")
                    })
            }
    }

    /// One photo of each exposure of which it is known when it began.
    private static func started(_ capture: CaptureDetail) -> [(photo: StoredPhoto, start: Int64)] {
        var seen: Set<String> = []
        return capture.photos.compactMap { photo in
            guard let start = photo.record.exposureStartRigTime,
                seen.insert("\(photo.node) \(photo.record.sequenceCount)").inserted
            else { return nil }
            return (photo, start.nanoseconds)
        }
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}
