/// operator -> coordinator: what do you measure?
package struct MetricsRequest: OperatorMessage, Hashable {
    package typealias Reply = MetricsReply
    package static let type = "metricsRequest"

    package init() {}
}
