import CaptureModel
import Catalogue
import LibraryCare
import PhotoStore
import RigProtocol
import RigRules

/// The rig's head: the coordinator's own machines, library and catalogue, the library on a simulated disk.
final class SimulatedCoordinator {
    let disk: SimulatedFileSystem
    /// Of the catalogue in memory, which is there as long as one connection is.
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
    /// The catalogue is an old copy, and nobody has started on it yet.
    var isRestored = false
    /// From when on its boards counted rig time, in nanoseconds of virtual time; the last one is of today.
    var boots: [Int64] = [0]
    var booted: Int64 { boots[boots.count - 1] }

    init(seed: UInt64) {
        disk = SimulatedFileSystem(seed: seed)
        // Others may run the same seed at the same time.
        catalogueName = "volley-\(seed)-\(UInt64.random(in: .min ... .max))"
    }
}
