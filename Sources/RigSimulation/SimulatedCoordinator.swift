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
    /// When its board was switched on, from which rig time counts; in nanoseconds of virtual time.
    var booted: Int64 = 0

    init(seed: UInt64) {
        disk = SimulatedFileSystem(seed: seed)
        // Another test may run the same seed at the same time.
        catalogueName = "volley-\(seed)-\(UInt64.random(in: .min ... .max))"
    }
}
