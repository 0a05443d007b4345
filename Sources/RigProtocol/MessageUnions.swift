package import CaptureModel

/// What a node says on the control plane.
package enum NodeMessage: Sendable, Hashable {
    case hello(Hello)
    case heartbeat(Heartbeat)
    case prepared(Prepared)
    case refused(Refused)
    case event(EventReport)
    case goodbye(Goodbye)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .hello(let body): body
        case .heartbeat(let body): body
        case .prepared(let body): body
        case .refused(let body): body
        case .event(let body): body
        case .goodbye(let body): body
        }
    }

    /// Reads a first frame.
    package init(_ frame: UnsafeRawBufferPointer) throws(WireError) {
        let header = try Codec.header(of: frame)
        switch header.type {
        case Hello.type: self = .hello(try Codec.decode(Hello.self, from: frame))
        case Heartbeat.type: self = .heartbeat(try Codec.decode(Heartbeat.self, from: frame))
        case Prepared.type: self = .prepared(try Codec.decode(Prepared.self, from: frame))
        case Refused.type: self = .refused(try Codec.decode(Refused.self, from: frame))
        case EventReport.type: self = .event(try Codec.decode(EventReport.self, from: frame))
        case Goodbye.type: self = .goodbye(Goodbye())
        default: throw WireError(.unknownType, "A node does not say '\(header.type)'.")
        }
    }
}

/// What a coordinator says to a node on the control plane.
package enum CoordinatorMessage: Sendable, Hashable {
    case welcome(Welcome)
    case rejected(Rejected)
    case heartbeat(Heartbeat)
    case prepare(Prepare)
    case fire(Fire)
    case cancel(Cancel)
    case stored(Stored)
    case moveStart(MoveStart)

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
        }
    }

    /// Reads a first frame.
    package init(_ frame: UnsafeRawBufferPointer) throws(WireError) {
        let header = try Codec.header(of: frame)
        switch header.type {
        case Welcome.type: self = .welcome(try Codec.decode(Welcome.self, from: frame))
        case Rejected.type: self = .rejected(try Codec.decode(Rejected.self, from: frame))
        case Heartbeat.type: self = .heartbeat(try Codec.decode(Heartbeat.self, from: frame))
        case Prepare.type: self = .prepare(try Codec.decode(Prepare.self, from: frame))
        case Fire.type: self = .fire(try Codec.decode(Fire.self, from: frame))
        case Cancel.type: self = .cancel(try Codec.decode(Cancel.self, from: frame))
        case Stored.type: self = .stored(try Codec.decode(Stored.self, from: frame))
        case MoveStart.type: self = .moveStart(try Codec.decode(MoveStart.self, from: frame))
        default: throw WireError(.unknownType, "A coordinator does not say '\(header.type)'.")
        }
    }
}

/// What an operator asks.
package enum OperatorRequest: Sendable, Hashable {
    case status
    case fire(FireRequest)
    case cancel(UniqueID)
    case nodes
    case clocks
    case moveStarts([String: Int64])
    case captures(CaptureFilter)
    case show(UniqueID)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .status: StatusRequest()
        case .fire(let body): body
        case .cancel(let id): CancelRequest(uniqueID: id)
        case .nodes: NodesRequest()
        case .clocks: ClocksRequest()
        case .moveStarts(let offsets): MoveStartsRequest(nanoseconds: offsets)
        case .captures(let filter): CapturesRequest(filter: filter)
        case .show(let id): ShowRequest(uniqueID: id)
        }
    }

    /// Reads a first frame.
    package init(_ frame: UnsafeRawBufferPointer) throws(WireError) {
        let header = try Codec.header(of: frame)
        switch header.type {
        case StatusRequest.type: self = .status
        case FireRequest.type: self = .fire(try Codec.decode(FireRequest.self, from: frame))
        case CancelRequest.type: self = .cancel(try Codec.decode(CancelRequest.self, from: frame).uniqueID)
        case NodesRequest.type: self = .nodes
        case ClocksRequest.type: self = .clocks
        case MoveStartsRequest.type:
            self = .moveStarts(try Codec.decode(MoveStartsRequest.self, from: frame).nanoseconds)
        case CapturesRequest.type: self = .captures(try Codec.decode(CapturesRequest.self, from: frame).filter)
        case ShowRequest.type: self = .show(try Codec.decode(ShowRequest.self, from: frame).uniqueID)
        default: throw WireError(.unknownType, "An operator does not ask '\(header.type)'.")
        }
    }
}
