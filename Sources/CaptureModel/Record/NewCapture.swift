/// A capture when it is accepted.
package struct NewCapture: Sendable, Hashable {
    package var uniqueID: UniqueID
    package var requestID: String
    /// The operator who asked for it.
    package var firedBy: String
    package var plan: Plan
    package var session: String?
    package var labels: [String: String]
    /// Microseconds since the Unix epoch.
    package var createdAt: Int64
    package var nodes: [String]

    package init(
        uniqueID: UniqueID, requestID: String, firedBy: String, plan: Plan, session: String? = nil,
        labels: [String: String] = [:], createdAt: Int64, nodes: [String]
    ) {
        self.uniqueID = uniqueID
        self.requestID = requestID
        self.firedBy = firedBy
        self.plan = plan
        self.session = session
        self.labels = labels
        self.createdAt = createdAt
        self.nodes = nodes
    }
}
