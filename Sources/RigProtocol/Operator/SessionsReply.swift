package import CaptureModel

/// coordinator -> operator: the sessions.
package struct SessionsReply: WireMessage, Hashable {
    package static let type = "sessionsReply"
    package var sessions: [SessionSummary]

    package init(sessions: [SessionSummary]) { self.sessions = sessions }
}
