import CaptureModel
import Catalogue
import Library
import LibraryCare
import RigProtocol
import RigRules
import SimulationKit

/// The rig's coordinator: the real machines, library and catalogue, with the library on a simulated disk.
final class SimulatedCoordinator {
    let disk: SimulatedFileSystem
    /// The name of the in-memory catalogue, which exists as long as a connection to it.
    let catalogueName: String
    var life = 0
    var isUp = false
    var machine = CoordinatorMachine(
        RigMachine(lastUniqueID: UniqueID(rawValue: 0), lastNews: 0, welcome: Welcome(clockPort: 1, bulkPort: 2)),
        TransferMachine())
    var library: Library?
    var catalogue: Catalogue?
    /// Captures that are not resumed.
    var withheld: Set<UniqueID> = []
    /// Whether the catalogue is an old copy on which no coordinator has started yet.
    var isRestored = false
    /// When each of its boards booted, from which rig time counts, in nanoseconds of virtual time; the present board
    /// last.
    var boots: [Int64] = [0]
    var booted: Int64 { boots[boots.count - 1] }

    init(seed: UInt64) {
        disk = SimulatedFileSystem(seed: seed)
        // Another test may run the same seed at the same time.
        catalogueName = "volley-\(seed)-\(UInt64.random(in: .min ... .max))"
    }
}
