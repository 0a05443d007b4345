import CaptureModel
import Foundation

/// How values are worded for people.
enum Sentences {
    /// `complete: 24 of 24 photos of 4 nodes`.
    static func outcome(_ capture: CaptureSummary) -> String {
        let counts =
            "\(capture.storedPhotoCount) of \(capture.expectedPhotoCount) photos of \(capture.nodeCount) nodes"
        return "\(capture.state.rawValue): \(counts)" + (capture.reason.map { "\n\($0.printableLine)" } ?? "")
    }

    /// `1 capture`, `2 captures`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// `2026-11-21 03:00:00` UTC.
    static func time(_ time: UTCTime) -> String { "\(time.day) \(time.timeOfDay)" }

    /// `1.234 ms`.
    static func milliseconds(_ nanoseconds: Int64) -> String {
        String(format: "%.3f ms", Double(nanoseconds) / 1e6)
    }

    /// `12.3 µs`; in milliseconds from 100,000 µs on.
    static func microseconds(_ nanoseconds: Int64) -> String { microseconds(Double(nanoseconds)) }

    static func microseconds(_ nanoseconds: Double) -> String {
        abs(nanoseconds) < 1e8
            ? String(format: "%.1f µs", nanoseconds / 1e3) : String(format: "%.3f ms", nanoseconds / 1e6)
    }

    /// `+12.34 ppm`.
    static func partsPerMillion(_ rate: Double) -> String { String(format: "%+.2f ppm", rate * 1e6) }

    /// `1/125 s ISO 100`, or a dash.
    static func exposure(_ duration: ExposureDuration?, _ iso: Double?) -> String {
        let parts = [duration.map(\.description), iso.map { String(format: "ISO %.0f", $0) }].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }
}
