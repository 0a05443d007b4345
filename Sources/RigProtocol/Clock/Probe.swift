package import CaptureModel

/// node -> coordinator, clock plane: what time is it?
package struct Probe: WireMessage, Hashable {
    package static let type = "probe"
    /// When it was sent, by the node's clock.
    package var sent: MonotonicTime

    package init(sent: MonotonicTime) {
        self.sent = sent
    }
}
