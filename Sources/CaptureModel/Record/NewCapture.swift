/// A capture at the moment it is accepted.
package struct NewCapture: Sendable, Hashable {
    /// Handed out by the coordinator, never to be used again.
    package var uniqueID: UniqueID
    /// Chosen by the operator's command: a repeated request is not a second capture.
    package var requestID: String
    /// The operator who asked for it.
    package var firedBy: NodeName
    /// As the operator wrote it.
    package var plan: Plan
    /// What the operator groups it under; nil where none was given.
    package var session: String?
    /// What is before the cameras; nil where that was not said.
    package var subject: String?
    /// What the operator attached to it, for captures to be found by.
    package var labels: [String: String]
    /// When it was accepted.
    package var createdAt: UTCTime
    /// The nodes that it is for by name, those that cannot take part included.
    package var nodes: [NodeName]
    /// Of nodes that have others than the plan.
    package var formats: [NodeName: [PhotoFormat]]

    package init(
        uniqueID: UniqueID, requestID: String, firedBy: NodeName, plan: Plan, session: String? = nil,
        subject: String? = nil, labels: [String: String] = [:], createdAt: UTCTime, nodes: [NodeName],
        formats: [NodeName: [PhotoFormat]] = [:]
    ) {
        self.uniqueID = uniqueID
        self.requestID = requestID
        self.firedBy = firedBy
        self.plan = plan
        (self.session, self.subject) = (session, subject)
        self.labels = labels
        self.createdAt = createdAt
        (self.nodes, self.formats) = (nodes, formats)
    }
}
