package import CaptureModel
import Foundation

/// How values are worded for people.
package enum Sentences {
    /// `complete: 24 of 24 photos of 4 nodes`.
    package static func outcome(_ capture: CaptureSummary) -> String {
        let counts =
            "\(capture.storedPhotoCount) of \(capture.expectedPhotoCount) photos of \(count(capture.nodeCount, "node"))"
            + (capture.deletedPhotoCount.map { ", \($0) deleted" } ?? "")
        return "\(capture.state.rawValue): \(counts)" + (capture.reason.map { "\n\($0.printableLine)" } ?? "")
    }

    /// Where a capture belongs: `monday, vase 3`.
    package static func setting(_ capture: CaptureSummary) -> String {
        let subject = capture.subject.map { "\($0) \(capture.take ?? 1)" }
        return [capture.session, subject].compactMap(\.self).joined(separator: ", ")
    }

    /// How much of it is there: `22/24`; what somebody deleted is not missed.
    package static func photos(_ capture: CaptureSummary) -> String {
        "\(capture.storedPhotoCount)/\(capture.expectedPhotoCount - (capture.deletedPhotoCount ?? 0))"
    }

    /// What it can be found by: `by=anna, rig=left`.
    package static func labels(_ capture: CaptureSummary) -> String {
        capture.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }

    /// What people said: `4`, `rejected`.
    package static func opinion(_ rating: Int?, _ isRejected: Bool?) -> String {
        [rating.map(String.init), isRejected == true ? "rejected" : nil].compactMap(\.self).joined(separator: " ")
    }

    /// `1 capture`, `2 captures`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// `0.15 %`.
    package static func percent(_ share: Double) -> String { String(format: "%.2f %%", share * 100) }

    /// `512 kB`, `3.4 MB`, `1.2 GB`.
    package static func size(_ bytes: Int) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (number, unit) = (Double(bytes), 0)
        while number >= 999.5, unit + 1 < units.count { (number, unit) = (number / 1000, unit + 1) }
        return String(format: unit == 0 || number >= 10 ? "%.0f %@" : "%.1f %@", number, units[unit])
    }

    /// `2026-11-21 03:00:00`, as the clock on the wall has it.
    package static func time(_ time: UTCTime) -> String {
        let parts = local(time)
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d", 1900 + parts.tm_year, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec)
    }

    /// The same with its zone: `2026-11-21 03:00:00 UTC`.
    package static func zonedTime(_ time: UTCTime) -> String {
        let parts = local(time)
        return Self.time(time) + " " + (parts.tm_zone.map { String(cString: $0) } ?? "")
    }

    /// The head of a column of times: `CREATED (UTC)`.
    package static func zoned(_ head: String) -> String {
        "\(head) (\(local(.now).tm_gmtoff == 0 && local(UTCTime.now - .seconds(182 * 86_400)).tm_gmtoff == 0 ? "UTC" : "local"))"
    }

    private static func local(_ time: UTCTime) -> tm {
        var (seconds, parts) = (time_t((time.rawValue - time.subSecond) / 1_000_000), tm())
        localtime_r(&seconds, &parts)
        return parts
    }

    /// `1 to 4, 7` of ascending numbers.
    package static func ranges(_ numbers: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
            .joined(separator: ", ")
    }

    /// `12 s`, `3 min`, `22 h 58 min`, `2 d 3 h`.
    package static func span(_ nanoseconds: Int64) -> String {
        let minutes = nanoseconds / .seconds(60)
        switch minutes {
        case ..<1: return "\(nanoseconds / .seconds(1)) s"
        case ..<60: return "\(minutes) min"
        case ..<1440: return "\(minutes / 60) h \(minutes % 60) min"
        default: return "\(minutes / 1440) d \(minutes / 60 % 24) h"
        }
    }

    /// How long it is until a time; a second that has begun counts.
    package static func countdown(to time: UTCTime, from now: UTCTime = .now) -> String {
        span(max(0, time - now) + .seconds(1) - 1)
    }

    /// `1.234 ms`.
    package static func milliseconds(_ nanoseconds: Int64) -> String {
        String(format: "%.3f ms", Double(nanoseconds) / 1e6)
    }

    /// `12.3 µs`; in milliseconds from 100,000 µs on.
    package static func microseconds(_ nanoseconds: Int64) -> String { microseconds(Double(nanoseconds)) }

    package static func microseconds(_ nanoseconds: Double) -> String {
        abs(nanoseconds) < 1e8
            ? String(format: "%.1f µs", nanoseconds / 1e3) : String(format: "%.3f ms", nanoseconds / 1e6)
    }

    /// `+12.34 ppm`.
    package static func partsPerMillion(_ rate: Double) -> String { String(format: "%+.2f ppm", rate * 1e6) }

    /// `1/125 s ISO 100`, or a dash.
    ///
    /// - Parameter gain: the driver's own, for a camera without ISO; nil where nobody asked for one.
    package static func exposure(_ duration: ExposureDuration?, _ iso: Double?, _ gain: Double? = nil) -> String {
        let parts = [
            duration.map(\.description), iso.map { String(format: "ISO %.0f", $0) },
            gain.map { String(format: "gain %g", $0) },
        ].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    /// What a photo was exposed with, as far as is known: `+2 EV  1/60 s ISO 100`.
    package static func exposure(of record: PhotoRecord) -> String {
        let got = record.verified ?? record.applied
        let words = exposure(
            got?.duration ?? record.requested.duration, got?.iso ?? record.requested.iso,
            record.requested.gain.map { got?.gain ?? $0 })
        return record.requested.exposureTargetBias.map { String(format: "%+g EV  ", $0) + words } ?? words
    }
}
