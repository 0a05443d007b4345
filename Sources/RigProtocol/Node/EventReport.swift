package import CaptureModel

/// node -> coordinator: one lifecycle event, durable on the node; sent again until `stored`.
package struct EventReport: WireMessage, Hashable {
    package static let type = "event"
    /// The callback, numbered for its capture so that the coordinator can acknowledge it.
    package var event: CaptureEvent

    package init(event: CaptureEvent) {
        self.event = event
    }
}
