package import CaptureModel

/// coordinator -> whoever watches: a node's lifecycle event, once it is in the catalogue.
package struct EventNotice: WireMessage, Hashable {
    package static let type = "eventNotice"
    /// See ``News/number``, as in the others.
    package var number: Int64
    package var previous: Int64
    package var node: String
    package var event: CaptureEvent

    package init(number: Int64, previous: Int64, node: String, event: CaptureEvent) {
        self.number = number
        self.previous = previous
        self.node = node
        self.event = event
    }
}

/// coordinator -> whoever watches: a capture changed its state.
package struct CaptureNotice: WireMessage, Hashable {
    package static let type = "captureNotice"
    package var number: Int64
    package var previous: Int64
    package var uniqueID: UniqueID
    package var state: CaptureState
    package var reason: String?
    /// Photos on disk and in the catalogue.
    package var storedPhotoCount: Int
    package var expectedPhotoCount: Int

    package init(
        number: Int64, previous: Int64, uniqueID: UniqueID, state: CaptureState, reason: String?, storedPhotoCount: Int,
        expectedPhotoCount: Int
    ) {
        self.number = number
        self.previous = previous
        self.uniqueID = uniqueID
        self.state = state
        self.reason = reason
        self.storedPhotoCount = storedPhotoCount
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// coordinator -> whoever watches: a node came, went or changed. Of a former change only its state and problem are known.
package struct NodeNotice: WireMessage, Hashable {
    package static let type = "nodeNotice"
    package var number: Int64
    package var previous: Int64
    package var node: NodeSummary

    package init(number: Int64, previous: Int64, node: NodeSummary) {
        self.number = number
        self.previous = previous
        self.node = node
    }
}

/// News for whoever watches.
package enum Notice: WireReadable, Hashable {
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

    package var number: Int64 {
        switch self {
        case .event(let body): body.number
        case .capture(let body): body.number
        case .node(let body): body.number
        }
    }

    package var previous: Int64 {
        switch self {
        case .event(let body): body.previous
        case .capture(let body): body.previous
        case .node(let body): body.previous
        }
    }

    package init(_ header: Header, from decoder: any Decoder) throws {
        try self.init(type: header.type, from: decoder)
    }

    /// What the catalogue kept.
    package init(_ news: News) {
        let (number, previous) = (news.number, news.previous)
        switch news.content {
        case .event(let node, let event):
            self = .event(EventNotice(number: number, previous: previous, node: node, event: event))
        case .capture(let id, let state, let reason, let stored, let expected):
            self = .capture(
                CaptureNotice(
                    number: number, previous: previous, uniqueID: id, state: state, reason: reason,
                    storedPhotoCount: stored, expectedPhotoCount: expected))
        case .node(let name, let word, let problem):
            let state = NodeSummary.State(rawValue: word)
            let node = NodeSummary(
                name: name, state: state, capabilities: nil, clock: nil, lastSeen: nil, problem: problem)
            self = .node(NodeNotice(number: number, previous: previous, node: node))
        }
    }

    private init(type: String, from decoder: any Decoder) throws {
        switch type {
        case EventNotice.type: self = .event(try EventNotice(from: decoder))
        case CaptureNotice.type: self = .capture(try CaptureNotice(from: decoder))
        case NodeNotice.type: self = .node(try NodeNotice(from: decoder))
        default: throw WireError(.unknownType, "'\(type)' is no news.")
        }
    }
}

extension Notice: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
    }

    package init(from decoder: any Decoder) throws {
        try self.init(
            type: try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .type), from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Swift.type(of: body).type, forKey: .type)
    }
}
