/// Which captures an operator asks for; a field that is left out does not restrict them.
package struct CaptureFilter: Codable, Sendable, Hashable {
    /// The exact name of the session.
    package var session: String?
    /// Every one of these labels with this value.
    package var labels: [String: String] = [:]
    /// A node that took part.
    package var node: NodeName?
    /// The state that a capture is in now.
    package var state: CaptureState?
    /// The earliest acceptance, inclusive.
    package var since: UTCTime?
    /// The latest acceptance, exclusive.
    package var until: UTCTime?
    /// The most captures to return, the newest ones.
    package var limit = 50

    package init() {}
}
