/// What a node says on the control plane.
package enum NodeMessage: WireReadable, Hashable {
    case hello(Hello)
    case heartbeat(Heartbeat)
    case prepared(Prepared)
    case refused(Refused)
    case event(EventReport)
    case camera(CameraReport)
    case goodbye(Goodbye)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .hello(let body): body
        case .heartbeat(let body): body
        case .prepared(let body): body
        case .refused(let body): body
        case .event(let body): body
        case .camera(let body): body
        case .goodbye(let body): body
        }
    }

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case Hello.type: self = .hello(try Hello(from: decoder))
        case Heartbeat.type: self = .heartbeat(try Heartbeat(from: decoder))
        case Prepared.type: self = .prepared(try Prepared(from: decoder))
        case Refused.type: self = .refused(try Refused(from: decoder))
        case EventReport.type: self = .event(try EventReport(from: decoder))
        case CameraReport.type: self = .camera(try CameraReport(from: decoder))
        case Goodbye.type: self = .goodbye(Goodbye())
        default: throw WireError(.unknownType, "A node does not send '\(header.type)'.")
        }
    }
}
