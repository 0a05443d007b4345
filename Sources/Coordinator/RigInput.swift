package import CaptureModel
package import Catalogue
import FoundationEssentials
package import PhotoStore
package import RigProtocol

/// What happens to a rig, as its coordinator sees it.
package enum RigInput: Sendable {
    case tick
    /// The nodes that belong to the rig, whether they were seen or not.
    case members([NodeName])
    case fromNode(Peer, user: NodeName, NodeMessage)
    case fireRequested(Peer, FireRequest, freeBytes: Int64)
    case cancelRequested(Peer, UniqueID)
    case nodesRequested(Peer)
    case clocksRequested(Peer)
    case moveStartsRequested(Peer, MoveStartsRequest)
    /// A new capture is durable, in the catalogue and beside where its photos will be.
    case accepted(UniqueID)
    /// A new capture could not be made durable, so nothing of it happens.
    case acceptFailed(UniqueID, reason: String)
    /// The catalogue's answer to ``RigEffect/load(_:)``; nil for an id that it does not know.
    case loaded(UniqueID, LoadedCapture?)
    /// The catalogue will never take these changes: its schema says that they cannot be.
    case commitRefused([CatalogueChange])
    /// A piece of a photo has arrived.
    case progress(Library.Key)
    /// A photo is durable in the library.
    case photoArrived(Library.Key, path: String)
    /// A photo could not be had, after all tries.
    case photoFailed(Library.Key, CaptureError)
}

/// A capture as the catalogue remembers it.
package struct LoadedCapture: Sendable, Hashable {
    package var detail: CaptureDetail
    package var plan: Plan

    package init(detail: CaptureDetail, plan: Plan) {
        self.detail = detail
        self.plan = plan
    }

    /// - Parameter json: the plan, as the catalogue keeps it.
    package init(_ detail: CaptureDetail, plan json: String) throws {
        self.init(detail: detail, plan: try JSONDecoder().decode(Plan.self, from: Data(json.utf8)))
    }
}

/// A photo to fetch from a node.
package struct PhotoPull: Sendable, Hashable {
    package let key: Library.Key
    package let file: PhotoFile
    /// Where it goes, relative to the library.
    package let path: String

    package init(key: Library.Key, file: PhotoFile, path: String) {
        self.key = key
        self.file = file
        self.path = path
    }
}

/// An answer to an operator.
package enum OperatorReply: Sendable, Hashable {
    case fired(FireReply)
    case nodes(NodesReply)
    case clocks(ClocksReply)
    case refused(Refusal)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .fired(let body): body
        case .nodes(let body): body
        case .clocks(let body): body
        case .refused(let body): body
        }
    }
}

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

/// What the owner does, in order.
package indirect enum RigEffect: Sendable, Hashable {
    case send(CoordinatorMessage, to: Peer)
    case reply(OperatorReply, to: Peer)
    case publish(Notice)
    /// Commit the changes, then do the rest; what must not happen before it is durable stands in `then`.
    case commit([CatalogueChange], then: [RigEffect])
    /// Make a new capture durable and say ``RigInput/accepted(_:)``, or ``RigInput/acceptFailed(_:reason:)``.
    case accept(UniqueID, [CatalogueChange])
    case pull(PhotoPull)
    case stopPulling(node: String)
    /// Look a capture up that is no longer in memory.
    case load(UniqueID)
    /// Keep everything about a capture beside its photos.
    case archive(UniqueID, then: [RigEffect])
    case report(String)
}
