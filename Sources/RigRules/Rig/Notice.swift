package import RigProtocol

/// News for whoever watches.
package enum Notice: Sendable, Hashable {
    case event(EventNotice)
    case capture(CaptureNotice)
    case node(NodeNotice)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .event(let body): body
        case .capture(let body): body
        case .node(let body): body
        }
    }
}
