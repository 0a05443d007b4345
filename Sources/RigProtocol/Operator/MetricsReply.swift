/// coordinator -> operator: how the rig is, in numbers.
package struct MetricsReply: WireMessage, Hashable {
    package static let type = "metricsReply"
    /// One of each name.
    package var families: [MetricFamily]

    package init(families: [MetricFamily]) { self.families = families }
}
