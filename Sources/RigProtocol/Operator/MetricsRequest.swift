/// operator -> coordinator: what do you measure?
package struct MetricsRequest: CatalogueMessage, Hashable {
    package typealias Reply = MetricsReply
    package static let type = "metricsRequest"

    package init() {}
}
