package import CaptureModel

/// operator -> coordinator: whether this plan could be captured now; nothing is fired.
package struct CheckRequest: OperatorMessage, Hashable {
    package typealias Reply = CheckReply
    package static let type = "checkRequest"
    /// What would be captured.
    package var plan: Plan

    package init(plan: Plan) { self.plan = plan }
}
