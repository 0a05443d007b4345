/// What an operator asks captures for; fields left out do not restrict.
package struct CaptureFilter: Codable, Sendable, Hashable {
    package var session: String?
    /// Every one of these labels with this value.
    package var labels: [String: String] = [:]
    /// A node that took part.
    package var node: String?
    package var state: CaptureState?
    /// Microseconds since the Unix epoch, inclusive.
    package var since: Int64?
    /// Microseconds since the Unix epoch, exclusive.
    package var until: Int64?
    /// The most that are wanted, the newest.
    package var limit = 50

    package init() {}
}
