import CaptureModel
import NodeAgent
import RigClock
import RigProtocol
import RigRules
import SimulationKit
import Spool

/// A board with a camera: the real machine and spool of a node, on a simulated disk.
///
/// Everything but the disk ends with a life of the program; the disk stays.
final class SimulatedNode {
    let index: Int
    let name: NodeName
    let disk: SimulatedFileSystem
    /// Raised at each start and end of the program: what was under way in an earlier life does not happen.
    var life = 0
    var isUp = false
    var machine: BoardMachine
    var spool: Spool?
    /// How many events its camera still has to deliver.
    var deliveryCount = 0
    var prepared: [UniqueID: SimulatedCapture] = [:]
    /// The exposure that each capture has reached, and if it was given up, why no more will follow.
    var exposing: [UniqueID: (step: Int, givenUp: CaptureError?)] = [:]
    /// How many connections it has made on the control plane and on the bulk plane.
    var connections = (control: 0, bulk: 0)
    var isBulkOpen = false
    /// The board's clock, what its program has learned about rig time, and the path of its probes.
    var clock: SimulatedClock
    var filter = HullFilter()
    var path: SimulatedPath

    /// - Parameter booted: when the board was switched on, in nanoseconds of virtual time.
    init(index: Int, _ scenario: Scenario, booted: Int64) {
        self.index = index
        let seed = scenario.seed &* 31 &+ UInt64(index)
        clock = scenario.clock(of: index, booted: booted)
        path = scenario.longestWay > .milliseconds(5) ? .wireless(seed: seed) : .wired(seed: seed)
        guard let name = NodeName("node-\(index)") else { preconditionFailure("it is a name") }
        self.name = name
        disk = SimulatedFileSystem(seed: seed)
        machine = BoardMachine(NodeMachine(name: name, instance: "0"))
    }

    /// Whether neither its camera nor its spool has anything under way.
    var isIdle: Bool { deliveryCount == 0 && machine.isSpoolIdle }

    /// The peer that the coordinator sees on the control plane.
    var peer: Peer { Peer(routingID: [1, UInt8(index)] + Array("\(connections.control)".utf8)) }

    var bulkPeer: Peer { Peer(routingID: [2, UInt8(index)] + Array("\(connections.bulk)".utf8)) }

    /// A delivery as it is paid: with an error if its exposure was still to come when the capture was given up.
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
