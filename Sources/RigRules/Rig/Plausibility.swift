import CaptureModel
import RigClock
import RigProtocol

// Anything may come over the wire: these are the ranges in which no arithmetic overflows.

extension FireRequest {
    /// The most characters in a session, a subject, a label or the id of a request, and the most labels.
    private static let (longestText, mostLabels) = (Annotation.longestText, Annotation.mostLabels)

    /// How late it may come where it waits anyway, in microseconds.
    private static let mostLate: Int64 = 60_000_000

    /// Why it is refused before anything is done; nil where it can be considered.
    func refusal(_ utc: UTCTime) -> Refusal? {
        if let problem = plan.problem ?? textProblem { return Refusal(.invalid, problem) }
        guard let at else { return nil }
        let (ahead, overflow) = at.rawValue.subtractingReportingOverflow(utc.rawValue)
        if !overflow, ahead < 0 {
            let late = -ahead
            // One that may wait is late, rather than never.
            if queue == true, late <= Self.mostLate { return nil }
            return Refusal(.invalid, "Nothing was fired: the time to fire was \(Self.words(late)) ago.")
        }
        guard !overflow, ahead <= Self.furthest / 1000 else {
            return Refusal(
                .invalid,
                "Nothing was fired: the time to fire is more than \(Self.furthest / .seconds(86_400)) days ahead.")
        }
        return nil
    }

    /// A span, given in microseconds, to the unit that people think in.
    private static func words(_ span: Int64) -> String {
        switch span {
        case ..<10_000_000: "\(Double(span) / 1000) ms"
        case ..<7_200_000_000: "\(span / 1_000_000) s"
        case ..<172_800_000_000: "\(span / 3_600_000_000) h"
        default: "\(span / 86_400_000_000) days"
        }
    }

    /// What others would see on their terminals, or find cut short.
    private var textProblem: String? {
        let texts = [requestID, session ?? "", subject ?? ""] + labels.keys + labels.values
        func isShort(_ text: String) -> Bool {
            text.count <= Self.longestText && text.utf8.count <= 4 * Self.longestText
        }
        guard texts.allSatisfy(isShort), labels.count <= Self.mostLabels else {
            return
                "Sessions, subjects and labels have at most \(Self.longestText) characters, and a capture has at most "
                + "\(Self.mostLabels) labels."
        }
        guard texts.allSatisfy(\.isPrintable) else {
            return "Sessions, subjects and labels must not contain control characters."
        }
        return Annotation.problem(of: labels)
    }
}

extension ClockReport {
    /// Whether its numbers can be genuine.
    var isPlausible: Bool {
        let most = Int64(1) << 60
        let times = [probes.shortest, probes.median, probes.longest, probes.longestAnswer ?? 0]
        return abs(estimate.offsetNanoseconds / 2) < most && estimate.boundNanoseconds >= 0
            && (estimate.boundNanoseconds < most || !estimate.isKnown)
            && abs(estimate.asOf.nanoseconds / 2) < most && abs(estimate.rate) < 1e-2
            && times.allSatisfy { (0...Int64.seconds(3600)).contains($0) }
            && phaseNanoseconds.map { abs($0 / 2) < .seconds(3600) } ?? true
    }
}

extension BoardReport {
    /// Whether its numbers can be genuine: a counter of frames fits into the fraction of a `Double`.
    var isPlausible: Bool {
        let counts = camera.map { [$0.losses, $0.frames, $0.missingFrames, $0.damagedFrames, $0.retakes] } ?? []
        return (counts + [uptimeSeconds]).allSatisfy { (0...1 << 53).contains($0) }
            && temperature.map { (-100...300).contains($0) } ?? true
            && light.map { $0.count <= 64 && $0.isPrintable } ?? true
    }
}

extension SharedSettings {
    /// Whether other cameras may be told to use it.
    var isPlausible: Bool { exposure?.isPlausible ?? true && whiteBalance?.isPlausible ?? true }
}

extension Exposure {
    /// Whether another camera may be told to use it.
    fileprivate var isPlausible: Bool {
        duration.map { (0...Int64.seconds(3600)).contains($0.nanoseconds) } ?? true
            && [iso, gain].allSatisfy { $0.map { abs($0) < 1e12 } ?? true }
    }
}
