package import CaptureModel

/// Something that an operator can ask or have done, and the answer that it gets unless that is a ``Refusal``.
package protocol OperatorMessage: WireMessage {
    /// The answer where nothing is refused.
    associatedtype Reply: WireMessage
}

/// operator -> coordinator: capture this plan.
package struct FireRequest: OperatorMessage, Hashable {
    package typealias Reply = FireReply
    package static let type = "fireRequest"
    /// Chosen by the operator's command; a repeated request of the same id is the same capture.
    package var requestID: String
    /// What to capture.
    package var plan: Plan
    /// What the capture is grouped under, at most 200 characters; nil for nothing.
    package var session: String?
    /// What captures can be found by: at most 64, of at most 200 characters each.
    package var labels: [String: String]
    /// When the first exposure begins; nil for as soon as possible.
    package var at: UTCTime?

    package init(
        requestID: String, plan: Plan, session: String?, labels: [String: String], at: UTCTime? = nil
    ) {
        self.requestID = requestID
        self.plan = plan
        self.session = session
        self.labels = labels
        self.at = at
    }
}

/// coordinator -> operator: the capture exists, under this id.
package struct FireReply: WireMessage, Hashable {
    package static let type = "fireReply"
    /// The capture's identity; that of the earlier capture where the request is a repetition.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}

/// operator -> coordinator: give up this capture.
package struct CancelRequest: OperatorMessage, Hashable {
    /// The same id: the capture is being given up, and its end is still to come.
    package typealias Reply = FireReply
    package static let type = "cancelRequest"
    /// The capture, which must not be over.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}

/// operator -> coordinator: who is in the rig?
package struct NodesRequest: OperatorMessage, Hashable {
    package typealias Reply = NodesReply
    package static let type = "nodesRequest"

    package init() {}
}

/// A node as an operator sees it.
package struct NodeSummary: Codable, Sendable, Hashable {
    /// Whether the rig can count on it.
    package struct State: RawRepresentable, Hashable, Sendable, Codable {
        /// The word; one that this release does not know is shown as it came.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// It can take part in a capture.
        package static let ready = State(rawValue: "ready")
        package static let busy = State(rawValue: "busy")
        /// Connected, but its camera is not usable; see `problem`.
        package static let cameraMissing = State(rawValue: "cameraMissing")
        /// Connected, but its clock is not yet known well enough to fire.
        package static let clockUnsynchronised = State(rawValue: "clockUnsynchronised")
        /// Connected, but its spool has no room for a single photo.
        package static let spoolFull = State(rawValue: "spoolFull")
        package static let unreachable = State(rawValue: "unreachable")
    }

    /// The node's name.
    package var name: NodeName
    /// Whether the rig can count on it now.
    package var state: State
    /// What its camera can do; nil where it has none, or was not seen.
    package var capabilities: CameraCapabilities?
    /// What it reported of its clock last.
    package var clock: ClockReport?
    /// When it was last heard from; nil where it was not since the coordinator started.
    package var lastSeen: RigTime?
    /// Why it is not ready, in one sentence; nil where it is.
    package var problem: String?

    package init(
        name: NodeName, state: State, capabilities: CameraCapabilities?, clock: ClockReport?, lastSeen: RigTime?,
        problem: String?
    ) {
        self.name = name
        self.state = state
        self.capabilities = capabilities
        self.clock = clock
        self.lastSeen = lastSeen
        self.problem = problem
    }
}

/// coordinator -> operator: the nodes of the rig.
package struct NodesReply: WireMessage, Hashable {
    package static let type = "nodesReply"
    /// In order of their names, those that were never seen included.
    package var nodes: [NodeSummary]

    package init(nodes: [NodeSummary]) {
        self.nodes = nodes
    }
}

/// operator -> coordinator: how well does each node know rig time, and how well did it?
package struct ClocksRequest: OperatorMessage, Hashable {
    package typealias Reply = ClocksReply
    package static let type = "clocksRequest"

    package init() {}
}

/// operator -> coordinator: the timestamps of these nodes' cameras are off by this much more than they knew.
package struct MoveStartsRequest: OperatorMessage, Hashable {
    /// The nodes as they were: what moves is not waited for.
    package typealias Reply = NodesReply
    package static let type = "moveStartsRequest"
    /// For each node, what is to be added to its camera's timestamps.
    package var nanoseconds: [NodeName: Int64]
    /// For those nodes of which enough was seen, how well their starts are known after that.
    package var lamps: [NodeName: LampMeasurement]?

    package init(nanoseconds: [NodeName: Int64], lamps: [NodeName: LampMeasurement] = [:]) {
        self.nanoseconds = nanoseconds
        self.lamps = lamps
    }

    /// What each node is to be told, without numbers that cannot be genuine.
    package var moves: [(node: NodeName, move: MoveStart)] {
        nanoseconds.sorted { $0.key < $1.key }
            .map { ($0.key, MoveStart(nanoseconds: $0.value, lamp: lamps?[$0.key])) }
            .filter(\.move.isPlausible)
    }
}

/// coordinator -> operator: what each node reported of its clock, once a second, the newest last.
package struct ClocksReply: WireMessage, Hashable {
    package static let type = "clocksReply"

    /// One node's clock over the last minutes.
    package struct History: Codable, Sendable, Hashable {
        /// The node's name.
        package var node: NodeName
        /// One a second, the newest last.
        package var reports: [ClockReport]

        package init(node: NodeName, reports: [ClockReport]) {
            self.node = node
            self.reports = reports
        }
    }

    /// In order of the nodes' names.
    package var nodes: [History]

    package init(nodes: [History]) {
        self.nodes = nodes
    }
}

/// operator -> coordinator: captures that match, newest first.
package struct CapturesRequest: OperatorMessage, Hashable {
    package typealias Reply = CapturesReply
    package static let type = "capturesRequest"
    /// Which captures, and how many at most.
    package var filter: CaptureFilter

    package init(filter: CaptureFilter) {
        self.filter = filter
    }
}

/// coordinator -> operator: the captures that match.
package struct CapturesReply: WireMessage, Hashable {
    package static let type = "capturesReply"
    /// The newest first.
    package var captures: [CaptureSummary]

    package init(captures: [CaptureSummary]) {
        self.captures = captures
    }
}

/// operator -> coordinator: everything about one capture.
package struct ShowRequest: OperatorMessage, Hashable {
    package typealias Reply = ShowReply
    package static let type = "showRequest"
    /// The capture to show.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}

/// coordinator -> operator: everything about one capture.
package struct ShowReply: WireMessage, Hashable {
    package static let type = "showReply"
    /// The capture as the catalogue has it now, under way or over.
    package var capture: CaptureDetail

    package init(capture: CaptureDetail) {
        self.capture = capture
    }
}

/// coordinator -> operator: where to listen for events.
package struct StatusReply: WireMessage, Hashable {
    package static let type = "statusReply"
    /// The port of the events plane, on the host that was asked.
    package var eventsPort: Int
    /// The path of the library on the coordinator's machine.
    package var library: String
    /// The number of the latest news.
    package var news: Int64

    package init(eventsPort: Int, library: String, news: Int64) {
        self.eventsPort = eventsPort
        self.library = library
        self.news = news
    }
}

/// operator -> coordinator: are you there?
package struct StatusRequest: OperatorMessage, Hashable {
    package typealias Reply = StatusReply
    package static let type = "statusRequest"

    package init() {}
}

/// operator -> coordinator: what became known after this?
package struct NewsRequest: OperatorMessage, Hashable {
    package typealias Reply = NewsReply
    package static let type = "newsRequest"
    /// The number of the last news that was received.
    package var after: Int64

    package init(after: Int64) {
        self.after = after
    }
}

/// coordinator -> operator: a page of news, in order.
package struct NewsReply: WireMessage, Hashable {
    package static let type = "newsReply"
    /// The oldest first, without what this release cannot read.
    package var news: [Notice]
    /// The number to ask for the next page after.
    package var last: Int64
    /// Whether there is a next page.
    package var isMore: Bool

    package init(news: [Notice], last: Int64, isMore: Bool) {
        self.news = news
        self.last = last
        self.isMore = isMore
    }

    /// Reads a page, leaving out notices of a later release.
    package init(from decoder: any Decoder) throws {
        struct Known: Decodable {
            let notice: Notice?

            init(from decoder: any Decoder) { notice = try? Notice(from: decoder) }
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        news = try container.decode([Known].self, forKey: .news).compactMap(\.notice)
        last = try container.decode(Int64.self, forKey: .last)
        isMore = try container.decode(Bool.self, forKey: .isMore)
    }
}
