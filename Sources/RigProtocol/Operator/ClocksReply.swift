package import CaptureModel

/// coordinator -> operator: what each node reported of its clock, once a second, the newest last.
package struct ClocksReply: WireMessage, Hashable {
    package static let type = "clocksReply"

    /// One node's clock over the last minutes.
    package struct History: Codable, Sendable, Hashable {
        /// The node's name.
        package var node: NodeName
        /// One a second, the newest last.
        package var reports: [ClockReport]

        package init(node: NodeName, reports: [ClockReport]) {
            self.node = node
            self.reports = reports
        }
    }

    /// In order of the nodes' names.
    package var nodes: [History]

    package init(nodes: [History]) {
        self.nodes = nodes
    }
}
