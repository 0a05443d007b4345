import CaptureModel
import Foundation
import Programs
import RigClock
import RigProtocol

/// What the rig's measurements say, for people.
struct RigHealth {
    /// By the name of the family and the node; the rig's own have no node.
    private let values: [String: [String: Double]]

    init(_ families: [MetricFamily]) {
        values = Dictionary(
            families.map { family in
                let samples = family.samples.map { ($0.labels["node"] ?? "", $0.value) }
                return (family.name, Dictionary(samples) { first, _ in first })
            }
        ) { first, _ in first }
    }

    func value(_ family: String, of node: NodeName? = nil) -> Double? {
        values["volley_\(family)"]?[node?.rawValue ?? ""]
    }

    /// What the library's disk still takes.
    ///
    /// - Parameter captureBytes: the size of the newest complete capture; nil where there is none.
    func library(captureBytes: Int?) -> String? {
        guard let free = value("library_free_bytes") else { return nil }
        let room = "The library's disk takes \(Sentences.size(Int(clamped: free))) more"
        guard let captureBytes, captureBytes > 0 else { return room + "." }
        return
            "\(room): \(Int(clamped: free) / captureBytes) captures like the last complete one, of \(Sentences.size(captureBytes))."
    }

    /// What the last check of the library's photos found.
    static func words(_ verdict: LibraryVerdict?) -> String {
        guard let verdict else { return "The library's photos have not been checked yet: volley verify does." }
        let (day, time) = (verdict.checkedAt.day, verdict.checkedAt.timeOfDay)
        let photos = "\(verdict.storedPhotoCount) of \(Sentences.count(verdict.expectedPhotoCount, "photo"))"
        let found =
            verdict.problemCount == 0 ? "library and catalogue agree" : Sentences.count(verdict.problemCount, "problem")
        return "volley verify checked the library's photos on \(day) at \(time) UTC: \(photos), \(found)."
    }

    /// What a board has to say: what is missing in it, nobody has measured.
    func words(_ node: NodeName) -> (spool: String, board: String, frames: String) {
        let free = value("node_spool_free_bytes", of: node).map { "\(Sentences.size(Int($0))) free" }
        let waiting = value("node_spool_captures", of: node).flatMap { $0 > 0 ? "\(Int($0)) to deliver" : nil }
        let heat = value("node_temperature_celsius", of: node).map { String(format: "%.0f °C", $0) }
        let throttled = value("node_throttled", of: node) == 1 ? "slowed down by heat" : nil
        let weak = value("node_undervolted", of: node) == 1 ? "supply voltage too low" : nil
        let frames = [
            ("missing", "frames_missing_total"), ("damaged", "frames_damaged_total"), ("retaken", "retakes_total"),
        ]
        let losses = frames.compactMap { word, family in
            value("node_\(family)", of: node).flatMap { $0 > 0 ? "\(Int($0)) \(word)" : nil }
        }
        func joined(_ parts: [String?]) -> String { parts.compactMap(\.self).joined(separator: ", ") }
        return (joined([free, waiting]), joined([heat, throttled, weak]), joined(losses))
    }
}

/// A small curve of how well a clock was known, the newest on the right; the words beside it say the last value.
enum ClockCurve {
    private static let (width, height) = (120.0, 22.0)

    /// - Returns: nil for less than two reports.
    static func svg(_ history: ClocksReply.History) -> String? {
        let bounds = history.reports.map { Double($0.estimate.boundNanoseconds) }
        guard bounds.count > 1, let most = bounds.max(), most > 0 else { return nil }
        let points = bounds.enumerated().map { index, bound in
            let x = Double(index) / Double(bounds.count - 1) * width
            return String(format: "%.1f,%.1f", x, height - bound / most * (height - 2))
        }
        return
            "<svg class=\"curve\" viewBox=\"0 0 \(width) \(height)\" width=\"120\" height=\"22\" aria-hidden=\"true\">"
            + "<polyline points=\"\(points.joined(separator: " "))\"/></svg>"
    }
}
