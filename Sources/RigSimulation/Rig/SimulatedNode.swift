import CaptureModel
import NodeAgent
import PhotoStore
import RigClock
import RigProtocol

/// A board with a camera: the node's own machine and spool, on a simulated disk.
///
/// Everything but the disk goes with a life; the disk goes on.
final class SimulatedNode {
    /// What the spool is to do, one after the other, as the program's services do it.
    enum SpoolJob {
        case deliver(SimulatedCapture.Delivery)
        case journal(CaptureEvent)
        case reclaimPhoto(UniqueID, photoCount: Int)
        case reclaimCapture(UniqueID)
    }

    let index: Int
    let name: NodeName
    let disk: SimulatedFileSystem
    /// Raised at each end of the program: what was under way in a former life does not happen.
    var life = 0
    var isUp = false
    var machine: NodeMachine
    var spool: Spool?
    var jobs: [SpoolJob] = []
    var isWriting = false
    var prepared: [UniqueID: SimulatedCapture] = [:]
    /// Counts connections on the control plane and on the bulk plane.
    var connections = (control: 0, bulk: 0)
    var isBulkOpen = false
    /// When the board and its program started, in nanoseconds of virtual time.
    var booted: Int64
    var started: Int64 = 0

    init(index: Int, seed: UInt64, booted: Int64) {
        self.index = index
        guard let name = NodeName("node-\(index)") else { preconditionFailure("it is a name") }
        self.name = name
        self.booted = booted
        disk = SimulatedFileSystem(seed: seed)
        machine = NodeMachine(name: name.text, instance: "0")
    }

    /// The peer that the coordinator sees on the control plane.
    var peer: Peer { Peer(routingID: [1, UInt8(index)] + Array("\(connections.control)".utf8)) }

    var bulkPeer: Peer { Peer(routingID: [2, UInt8(index)] + Array("\(connections.bulk)".utf8)) }
}
