package import CaptureModel

/// What a node says on the control plane.
package enum NodeMessage: WireReadable, Hashable {
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

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case Hello.type: self = .hello(try Hello(from: decoder))
        case Heartbeat.type: self = .heartbeat(try Heartbeat(from: decoder))
        case Prepared.type: self = .prepared(try Prepared(from: decoder))
        case Refused.type: self = .refused(try Refused(from: decoder))
        case EventReport.type: self = .event(try EventReport(from: decoder))
        case Goodbye.type: self = .goodbye(Goodbye())
        default: throw WireError(.unknownType, "A node does not send '\(header.type)'.")
        }
    }
}

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
        default: throw WireError(.unknownType, "A coordinator does not send '\(header.type)'.")
        }
    }
}

/// What an operator asks.
package enum OperatorRequest: WireReadable, Hashable {
    case status
    case fire(FireRequest)
    case cancel(UniqueID)
    case nodes
    case clocks
    case moveStarts(MoveStartsRequest)
    case captures(CaptureFilter)
    case show(UniqueID)
    case news(after: Int64)

    /// Whether only the catalogue has to be asked.
    package var isQuestion: Bool {
        switch self {
        case .captures, .show, .news: true
        case .status, .fire, .cancel, .nodes, .clocks, .moveStarts: false
        }
    }

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .status: StatusRequest()
        case .fire(let body): body
        case .cancel(let id): CancelRequest(uniqueID: id)
        case .nodes: NodesRequest()
        case .clocks: ClocksRequest()
        case .moveStarts(let body): body
        case .captures(let filter): CapturesRequest(filter: filter)
        case .show(let id): ShowRequest(uniqueID: id)
        case .news(let number): NewsRequest(after: number)
        }
    }

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case StatusRequest.type: self = .status
        case FireRequest.type: self = .fire(try FireRequest(from: decoder))
        case CancelRequest.type: self = .cancel(try CancelRequest(from: decoder).uniqueID)
        case NodesRequest.type: self = .nodes
        case ClocksRequest.type: self = .clocks
        case MoveStartsRequest.type: self = .moveStarts(try MoveStartsRequest(from: decoder))
        case CapturesRequest.type: self = .captures(try CapturesRequest(from: decoder).filter)
        case ShowRequest.type: self = .show(try ShowRequest(from: decoder).uniqueID)
        case NewsRequest.type: self = .news(after: try NewsRequest(from: decoder).after)
        default: throw WireError(.unknownType, "An operator does not send '\(header.type)'.")
        }
    }
}
