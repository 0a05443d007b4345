/// What a coordinator says to a node on the control plane.
package enum CoordinatorMessage: WireReadable, Hashable {
    case welcome(Welcome)
    case rejected(Rejected)
    case heartbeat(Heartbeat)
    case prepare(Prepare)
    case fire(Fire)
    case cancel(Cancel)
    case stored(Stored)
    case moveStart(MoveStart)
    case identify(Identify)
    case camera(CameraOrder)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .welcome(let body): body
        case .rejected(let body): body
        case .heartbeat(let body): body
        case .prepare(let body): body
        case .fire(let body): body
        case .cancel(let body): body
        case .stored(let body): body
        case .moveStart(let body): body
        case .identify(let body): body
        case .camera(let body): body
        }
    }

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case Welcome.type: self = .welcome(try Welcome(from: decoder))
        case Rejected.type: self = .rejected(try Rejected(from: decoder))
        case Heartbeat.type: self = .heartbeat(try Heartbeat(from: decoder))
        case Prepare.type: self = .prepare(try Prepare(from: decoder))
        case Fire.type: self = .fire(try Fire(from: decoder))
        case Cancel.type: self = .cancel(try Cancel(from: decoder))
        case Stored.type: self = .stored(try Stored(from: decoder))
        case MoveStart.type: self = .moveStart(try MoveStart(from: decoder))
        case Identify.type: self = .identify(try Identify(from: decoder))
        case CameraOrder.type: self = .camera(try CameraOrder(from: decoder))
        default: throw WireError(.unknownType, "A coordinator does not send '\(header.type)'.")
        }
    }
}
