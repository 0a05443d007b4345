package import CaptureModel
package import RigProtocol

/// What the owner does, in order.
package indirect enum RigEffect: Sendable, Hashable {
    case send(CoordinatorMessage, to: Peer)
    case reply(OperatorReply, to: Caller)
    case publish(Notice)
    /// Commit the changes, then do the rest; what must not happen before they are durable goes into `then`.
    case commit([CatalogueChange], then: [RigEffect])
    /// Commit what an operator wants done, then do the rest. What cannot be written is withdrawn, and whoever wanted it
    /// hears so: ``RigInput/actFailed(_:caller:reason:)``.
    case act([CatalogueChange], of: Caller?, then: [RigEffect])
    /// Make a new capture durable and say ``RigInput/accepted(_:)``, or ``RigInput/acceptFailed(_:reason:)``.
    case accept(UniqueID, [CatalogueChange])
    case pull(PhotoPull)
    case stopPulling(node: NodeName)
    /// Look a capture up that is no longer in memory.
    case load(UniqueID)
    /// Keep everything about a capture beside its photos.
    case archive(UniqueID, then: [RigEffect])
    case report(Report)
}
