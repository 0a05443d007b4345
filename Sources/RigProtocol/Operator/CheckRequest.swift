package import CaptureModel

/// operator -> coordinator: whether this would be fired; nothing is.
package struct CheckRequest: OperatorMessage, Hashable {
    package typealias Reply = CheckReply
    package static let type = "checkRequest"
    /// What would be captured.
    package var plan: Plan
    /// As in ``FireRequest``.
    package var session, subject: String?
    package var labels: [String: String]?
    package var at: Instant?
    package var queue: Bool?

    package init(plan: Plan) { self.plan = plan }

    package init(_ order: FireRequest) {
        (plan, session, subject) = (order.plan, order.session, order.subject)
        (labels, at, queue) = (order.labels, order.at, order.queue)
    }

    /// What would be asked for.
    package var order: FireRequest {
        var order = FireRequest(
            requestID: "", plan: plan, session: session, labels: labels ?? [:], at: at, queue: queue)
        order.subject = subject
        return order
    }
}
