import CaptureModel

/// Who is let in; pure.
///
/// ```
/// invite -> link --enter, once--> session --leave, or not used for a day--> nothing
///                --an hour--> nothing
/// ```
struct Door: Sendable {
    /// For how long a link can be used, in nanoseconds.
    static let linkLife: Int64 = .seconds(3600)
    /// For how long a session stays that nobody uses, in nanoseconds.
    static let sessionLife: Int64 = .seconds(24 * 3600)
    /// Whoever holds a link can have many sessions; the one that was used least recently makes room.
    static let mostSessions = 200
    static let mostLinks = 50

    /// The last instant of each.
    private var links: [String: Int64] = [:]
    private var sessions: [String: Int64] = [:]

    /// Makes a secret one that lets somebody in once.
    ///
    /// - Parameter now: monotonic, in nanoseconds.
    mutating func invite(_ token: String, now: Int64) {
        links = links.filter { $0.value > now }
        if links.count >= Self.mostLinks, let oldest = links.min(by: { $0.value < $1.value }) {
            links[oldest.key] = nil
        }
        links[token] = now + Self.linkLife
    }

    /// Uses up a link.
    ///
    /// - Returns: whether there was one.
    mutating func enter(_ token: String, as session: String, now: Int64) -> Bool {
        guard let end = links.removeValue(forKey: token), end > now else { return false }
        begin(session, now: now)
        return true
    }

    /// Begins a session of somebody who has shown a link.
    mutating func begin(_ session: String, now: Int64) {
        sessions = sessions.filter { $0.value > now }
        if sessions.count >= Self.mostSessions, let oldest = sessions.min(by: { $0.value < $1.value }) {
            sessions[oldest.key] = nil
        }
        sessions[session] = now + Self.sessionLife
    }

    /// Whether a session is one, which lives on from now.
    mutating func admits(_ session: String, now: Int64) -> Bool {
        guard let end = sessions[session] else { return false }
        guard end > now else {
            sessions[session] = nil
            return false
        }
        sessions[session] = now + Self.sessionLife
        return true
    }

    /// Ends a session.
    mutating func leave(_ session: String) { sessions[session] = nil }
}
