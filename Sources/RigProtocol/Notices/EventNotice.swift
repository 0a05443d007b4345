package import CaptureModel

/// coordinator -> whoever watches: a node's lifecycle event, once it is in the catalogue.
package struct EventNotice: WireMessage, Hashable {
    package static let type = "eventNotice"
    /// See ``News/number``.
    package var number: Int64
    /// See ``News/previous``.
    package var previous: Int64
    /// The name of the node that reported it.
    package var node: NodeName
    /// The callback; without its resolved settings where it is sent again.
    package var event: CaptureEvent

    package init(number: Int64, previous: Int64, node: NodeName, event: CaptureEvent) {
        self.number = number
        self.previous = previous
        self.node = node
        self.event = event
    }
}
