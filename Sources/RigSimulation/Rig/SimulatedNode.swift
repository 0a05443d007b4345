import CaptureModel
import NodeAgent
import PhotoStore
import RigClock
import RigProtocol
import RigRules

/// A board with a camera: the node's own machine and spool, on a simulated disk.
///
/// Everything but the disk goes with a life; the disk goes on.
final class SimulatedNode {
    let index: Int
    let name: NodeName
    let disk: SimulatedFileSystem
    /// Raised at each end of the program: what was under way in a former life does not happen.
    var life = 0
    var isUp = false
    var machine: BoardMachine
    var spool: Spool?
    /// How many events of its camera are yet to come.
    var deliveryCount = 0
    var prepared: [UniqueID: SimulatedCapture] = [:]
    /// The exposure that a capture has come to, and why none comes after it where it was given up.
    var exposing: [UniqueID: (step: Int, givenUp: CaptureError?)] = [:]
    /// Counts connections on the control plane and on the bulk plane.
    var connections = (control: 0, bulk: 0)
    var isBulkOpen = false
    /// The board's clock, what its program has learned of rig time, and the way of its probes.
    var clock: SimulatedClock
    var filter = HullFilter()
    var path: SimulatedPath

    /// - Parameter booted: in nanoseconds of virtual time.
    init(index: Int, _ scenario: Scenario, booted: Int64) {
        self.index = index
        let seed = scenario.seed &* 31 &+ UInt64(index)
        clock = scenario.clock(of: index, booted: booted)
        path = scenario.longestWay > .milliseconds(5) ? .wireless(seed: seed) : .wired(seed: seed)
        guard let name = NodeName("node-\(index)") else { preconditionFailure("it is a name") }
        self.name = name
        disk = SimulatedFileSystem(seed: seed)
        machine = BoardMachine(NodeMachine(name: name.text, instance: "0"))
    }

    /// Whether neither its camera nor its spool has anything under way.
    var isIdle: Bool { deliveryCount == 0 && machine.isSpoolIdle }

    /// The peer that the coordinator sees on the control plane.
    var peer: Peer { Peer(routingID: [1, UInt8(index)] + Array("\(connections.control)".utf8)) }

    var bulkPeer: Peer { Peer(routingID: [2, UInt8(index)] + Array("\(connections.bulk)".utf8)) }

    /// What comes of a capture, which pays with errors for exposures that were still to come when it was given up.
    func paid(_ delivery: SpoolQueue.Delivery) -> SpoolQueue.Delivery {
        let id = delivery.event.uniqueID
        guard let (step, givenUp) = exposing[id] else { return delivery }
        var delivery = delivery
        if delivery.event.kind == .willCapturePhoto, givenUp == nil { exposing[id]?.step = step + 1 }
        if delivery.event.kind == .didFinishCapture {
            exposing[id] = nil
            delivery.event.error = givenUp
        }
        if let givenUp, let photo = delivery.event.photo, photo.sequenceCount > step {
            delivery.event.photo?.error = photo.error ?? givenUp
            delivery.event.photo?.exposureStart = nil
            delivery.file = nil
        }
        return delivery
    }
}
