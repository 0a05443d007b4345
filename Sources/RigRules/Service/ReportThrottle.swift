import CaptureModel

/// Keeps a log readable: the same report appears once a minute, and no more of one kind than can be read; pure.
///
/// One that follows another of the same subject, its first two words, is news again: the last that is said of a node that
/// comes and goes is how it is now.
///
/// What fails is often tried again every second, and a peer that sends nonsense sends it by the thousand. Reports that
/// differ only in their numbers are of one kind, so that a flood of one kind hides none of the others.
package struct ReportThrottle: Sendable {
    private static let window = Int64.seconds(60)
    /// The most reports of one kind in a window.
    private static let mostOfOne = 100
    /// The most times that the same report is news in a window.
    private static let mostOfSame = 10
    /// A report is cut to this many characters: what a peer sent may be quoted in it.
    private static let longest = 500

    private let mostKinds: Int
    private var began: Int64?
    /// How often each was said.
    private var said: [String: Int] = [:]
    /// The latest of each subject.
    private var latest: [String: String] = [:]
    private var counts: [String: Int] = [:]
    private var leftOut = 0

    /// - Parameter mostKinds: the most kinds of report in a window.
    package init(mostKinds: Int = 1000) {
        self.mostKinds = mostKinds
    }

    /// The lines to log for a report: the report or nothing, after a line on how many were left out before.
    ///
    /// - Parameter nanoseconds: on any clock that does not step.
    package mutating func lines(_ text: String, at nanoseconds: Int64) -> [String] {
        let lines = begin(at: nanoseconds)
        let text = String(text.prefix(Self.longest))
        let words = text.split(separator: " ")
        let subject = words.prefix(2).joined(separator: " ")
        let times = said[text, default: 0]
        guard times == 0 || latest[subject] != text && times < Self.mostOfSame else { return lines }
        // A name may have digits of its own.
        let kind = words.filter { word in !word.allSatisfy { $0.isNumber || $0.isPunctuation } }.joined(separator: " ")
        guard counts[kind, default: 0] < Self.mostOfOne, counts[kind] != nil || counts.count < mostKinds else {
            leftOut += 1
            return lines
        }
        counts[kind, default: 0] += 1
        said[text] = times + 1
        latest[subject] = text
        return lines + [text]
    }

    /// Begins a new window when it is time.
    private mutating func begin(at nanoseconds: Int64) -> [String] {
        if let began, nanoseconds - began < Self.window { return [] }
        defer { (began, said, latest, counts, leftOut) = (nanoseconds, [:], [:], [:], 0) }
        return leftOut > 0 ? ["Reports left out, as too many came: \(leftOut)."] : []
    }
}
