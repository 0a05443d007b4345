import CaptureModel

/// Keeps a log readable: the same is said once a minute, and of all that is new so much that it can still be read; pure.
///
/// What is wrong is often tried every second, and a peer that sends what cannot be does so by the thousand.
package struct ReportThrottle: Sendable {
    private static let window = Int64.seconds(60)
    /// The number of different sentences in a window.
    private static let most = 100

    private var began: Int64?
    private var said: Set<String> = []
    private var leftOut = 0

    package init() {}

    /// What is to be said where this is to be reported: it, or nothing, and ahead of it what was left out before.
    ///
    /// - Parameter nanoseconds: on any clock that does not step.
    package mutating func lines(_ text: String, at nanoseconds: Int64) -> [String] {
        let lines = begin(at: nanoseconds)
        guard !said.contains(text) else { return lines }
        guard said.count < Self.most else {
            leftOut += 1
            return lines
        }
        said.insert(text)
        return lines + [text]
    }

    /// Begins a new window where it is time.
    private mutating func begin(at nanoseconds: Int64) -> [String] {
        if let began, nanoseconds - began < Self.window { return [] }
        defer { (began, said, leftOut) = (nanoseconds, [], 0) }
        return leftOut > 0 ? ["\(leftOut) more reports were left out, as there were too many of them."] : []
    }
}
