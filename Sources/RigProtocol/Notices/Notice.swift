package import CaptureModel

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

    /// See ``News/number``.
    package var number: Int64 {
        switch self {
        case .event(let body): body.number
        case .capture(let body): body.number
        case .node(let body): body.number
        }
    }

    /// See ``News/previous``.
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

    /// News as the catalogue keeps it.
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
        default: throw WireError(.unknownType, "'\(type)' is not a notice.")
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

    /// Writes the message with its `type` beside it.
    package func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Swift.type(of: body).type, forKey: .type)
    }
}
