package import CaptureModel
package import RigProtocol

/// What happens to a rig, as its coordinator sees it.
package enum RigInput: Sendable {
    case tick
    /// The nodes that belong to the rig, whether they have been seen or not.
    case members(Members)
    case fromNode(Peer, user: NodeName, NodeMessage)
    /// A message of a node that cannot be read.
    case unreadable(Peer, user: NodeName, WireError)
    case fireRequested(Caller, FireRequest, freeBytes: Int64)
    case checkRequested(Caller, CheckRequest, freeBytes: Int64)
    case armRequested(Caller, ArmRequest, freeBytes: Int64)
    case releaseRequested(Caller, ReleaseRequest)
    /// Captures or photos that are in the catalogue.
    case annotateRequested(Caller, Annotation, captures: [UniqueID], photos: [PhotoID])
    /// Captures or photos that are in the catalogue, with the answer for when it is done; nobody asked where the coordinator
    /// does so by itself.
    case trashRequested(Caller?, TrashOrder, TrashReply)
    case cancelRequested(Caller, UniqueID)
    case nodesRequested(Caller)
    case clocksRequested(Caller)
    case pendingRequested(Caller)
    case moveStartsRequested(Caller, MoveStartsRequest)
    case identifyRequested(Caller, IdentifyRequest)
    case cameraRequested(Caller, CameraRequest)
    /// A new capture is durable, in the catalogue and beside where its photos will be.
    case accepted(UniqueID)
    /// A new capture could not be made durable, so nothing of it happens.
    case acceptFailed(UniqueID, reason: String)
    /// What an operator wanted done could not be written, and never will be.
    case actFailed([CatalogueChange], caller: Caller?, reason: String)
    /// The catalogue's answer to ``RigEffect/load(_:)``; nil for an id that it does not know.
    case loaded(UniqueID, LoadedCapture?)
    /// The catalogue will never take these changes: its schema rules them out.
    case commitRefused([CatalogueChange])
    /// The catalogue takes nothing for now, so no node is to blame for the lack of progress.
    case catalogueIsBusy
    /// A node's pieces or previews have arrived, whatever they are worth.
    case heard(NodeName)
    /// A piece of a photo has arrived.
    case progress(PhotoID)
    /// A photo is durable in the library.
    case photoArrived(PhotoID, path: String)
    /// A photo could not be fetched, after all tries.
    case photoFailed(PhotoID, CaptureError)
}
