/// node -> coordinator, bulk plane: opens the plane for the node that the connection's key belongs to.
package struct BulkHello: WireMessage, Hashable {
    package static let type = "bulkHello"
    /// As in ``Hello/instance``.
    package var instance: String

    package init(instance: String) {
        self.instance = instance
    }
}
