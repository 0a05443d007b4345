package import CaptureModel

/// operator -> coordinator: capture this plan.
package struct FireRequest: OperatorMessage, Hashable {
    package typealias Reply = FireReply
    package static let type = "fireRequest"
    /// Chosen by the operator's command; a repeated request of the same id is the same capture.
    package var requestID: String
    /// What to capture.
    package var plan: Plan
    /// What the capture is grouped under, at most 200 characters; nil for nothing.
    package var session: String?
    /// What captures can be found by: at most 64, of at most 200 characters each.
    package var labels: [String: String]
    /// When the first exposure begins; nil for as soon as possible.
    package var at: UTCTime?

    package init(
        requestID: String, plan: Plan, session: String?, labels: [String: String], at: UTCTime? = nil
    ) {
        self.requestID = requestID
        self.plan = plan
        self.session = session
        self.labels = labels
        self.at = at
    }
}
