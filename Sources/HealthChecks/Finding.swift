/// What a look at one part of a machine showed.
package struct Finding: Codable, Sendable, Hashable {
    /// What it means for a rig.
    package enum Verdict: String, Codable, Sendable {
        case ok
        /// Captures succeed, but not as well as they could.
        case warning
        /// Captures fail, or will.
        case problem
    }

    package var verdict: Verdict
    /// The part: `clock`, `disk`, `camera`.
    package var subject: String
    /// What was found, in one sentence.
    package var message: String
    /// What to do about it; nil where there is nothing to do.
    package var advice: String?

    package static func ok(_ subject: String, _ message: String) -> Self {
        Self(verdict: .ok, subject: subject, message: message)
    }

    package static func warning(_ subject: String, _ message: String, advice: String) -> Self {
        Self(verdict: .warning, subject: subject, message: message, advice: advice)
    }

    package static func problem(_ subject: String, _ message: String, advice: String) -> Self {
        Self(verdict: .problem, subject: subject, message: message, advice: advice)
    }
}

extension [Finding] {
    /// Whether captures fail, or will.
    package var hasProblem: Bool { contains { $0.verdict == .problem } }

    /// A line for each, with what to do below it.
    package var text: String {
        map { finding in
            let verdict = finding.verdict.rawValue.uppercased()
            let padding = String(repeating: " ", count: Swift.max(1, 9 - verdict.count))
            let line = "\(verdict)\(padding)\(finding.subject): \(finding.message)"
            return finding.advice.map { "\(line)\n         \($0)" } ?? line
        }.joined(separator: "\n")
    }
}
