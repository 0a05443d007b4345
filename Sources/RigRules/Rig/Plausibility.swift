import CaptureModel
import RigClock
import RigProtocol

// Anything may come over the wire: these are the ranges in which no arithmetic overflows.

extension FireRequest {
    /// The most characters in a session, a subject, a label or the id of a request, and the most labels.
    private static let (longestText, mostLabels) = (Annotation.longestText, Annotation.mostLabels)

    /// How late it may come where it waits anyway, in nanoseconds.
    private static let mostLate = Int64.seconds(60)

    /// Why it is refused before anything is done; nil where it can be considered.
    func refusal(_ utc: UTCTime) -> Refusal? {
        if let problem = plan.problem ?? textProblem { return Refusal(.invalid, problem) }
        guard let at else { return nil }
        let ahead = at.span(from: utc)
        if ahead < 0 {
            let late = -max(ahead, -.max)
            // One that may wait is late, rather than never.
            if queue == true, late <= Self.mostLate { return nil }
            return Refusal(.invalid, "Nothing was fired: the time to fire was \(Self.words(late)) ago.")
        }
        guard ahead <= Self.furthest else {
            return Refusal(
                .invalid,
                "Nothing was fired: the time to fire is more than \(Self.furthest / .seconds(86_400)) days ahead.")
        }
        return nil
    }

    /// A span, given in nanoseconds, to the unit that people think in.
    private static func words(_ span: Int64) -> String {
        switch span {
        case ..<(.seconds(1)): "\(Double(span / 1000) / 1000) ms"
        case ..<(.seconds(7200)): "\(span / .seconds(1)) s"
        case ..<(.seconds(172_800)): "\(span / .seconds(3600)) h"
        default: "\(span / .seconds(86_400)) days"
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
            && setByHand.map { $0.count <= 300 && $0.isPrintable } ?? true
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
