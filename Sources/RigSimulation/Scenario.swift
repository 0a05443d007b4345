import CaptureModel
import SimulatedCamera
import SimulationKit

/// What a simulated rig is and what it suffers: drawn from one seed.
///
/// Each kind of fault is on in some runs and off in others, so that runs differ in kind and not only in luck (swarm
/// testing: Groce et al., ISSTA 2012).
package struct Scenario: Sendable {
    package let seed: UInt64
    package var nodeCount: Int
    package var captureCount: Int
    /// The time for which things go wrong, in nanoseconds; then all is healed, and everything must finish.
    package var trouble: Int64
    /// Of each message, between a node and the coordinator.
    package var loss = 0.0
    package var duplication = 0.0
    /// The longest that a message takes, in nanoseconds.
    package var longestWay = Int64.milliseconds(5)
    /// How often each of these happens in the time of trouble.
    package var partitions = 0
    package var resets = 0
    package var nodeCrashes = 0
    package var coordinatorCrashes = 0
    /// How often a crash is one of the whole board, which loses what was not synced.
    package var powerCutShare = 0.0
    /// Programs die in the middle of their dealings with the disk.
    package var diesInCalls = false
    package var syncFailure = 0.0
    package var spoolCapacity = 1 << 30
    package var libraryCapacity = 1 << 30
    /// Of each commit.
    package var catalogueFailure = 0.0
    /// Of each capture on each node.
    package var cameraFault = 0.0
    /// Of each frame of a capture: it is lost, broken, of another exposure, or what is written behind it lands late.
    package var frameFault = 0.0
    package var cancellations = 0
    /// From one request to the next, in nanoseconds.
    package var pace = Int64.seconds(2)
    /// Of each preparation.
    package var preparationFailure = 0.0
    /// The catalogue is copied once, and later the copy is put in its place.
    package var restoresBackup = false
    /// How often a node begins anew with an empty disk.
    package var reimages = 0
    /// The longest that a disk takes, in nanoseconds.
    package var slowestDisk = Int64.milliseconds(20)
    /// The greatest rate by which a board's clock is fast or slow, and by how much it swings within minutes.
    package var drift = 60e-6
    package var wander = 0.0
    /// A coordinator's board that loses its power is replaced by one that has run for longer.
    package var replacesCoordinator = false
    /// The catalogue refuses an event of a node in each capture, for good.
    package var refusesEvents = false
    /// Plans are for some of the nodes, so that captures overlap.
    package var choosesNodes = false
    /// Operators wait for nodes that are busy.
    package var queues = false
    /// How often somebody says something of a capture.
    package var annotations = 0
    /// How often somebody deletes something, puts it back, or empties the trash.
    package var orders = 0
    /// How often somebody sets cameras by hand.
    package var settings = 0
    /// The rig has two groups, of which one fires later; plans choose by them.
    package var hasGroups = false
    /// Plans set each node to a value of its own.
    package var setsNodes = false
    /// Every other capture is armed first, and fired when somebody presses the shutter.
    package var arms = false

    /// How often the coordinator's wall clock is set, forward and back.
    package var clockJumps = 0
    /// What the wire of all nodes together carries of photos, in bytes a second; nil where it is fast.
    package var wire: Int64?
    /// How often the library's disk is lost, or turns read-only, for a while.
    package var diskLosses = 0
    /// How often the coordinator's machine sleeps.
    package var sleeps = 0

    /// Draws a scenario.
    ///
    /// - Parameter seed: the same seed makes the same run.
    package init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(state: seed)
        func sometimes<Value>(_ value: Value, else calm: Value) -> Value {
            Int.random(in: 0..<3, using: &random) == 0 ? value : calm
        }
        nodeCount = Int.random(in: 1...3, using: &random)
        captureCount = Int.random(in: 1...4, using: &random)
        trouble = .seconds(Int64.random(in: 5...25, using: &random))
        loss = sometimes(Double.random(in: 0...0.3, using: &random), else: 0)
        duplication = sometimes(0.2, else: 0)
        longestWay = sometimes(.milliseconds(Int64.random(in: 10...1500, using: &random)), else: longestWay)
        partitions = sometimes(Int.random(in: 1...3, using: &random), else: 0)
        resets = sometimes(Int.random(in: 1...6, using: &random), else: 0)
        nodeCrashes = sometimes(Int.random(in: 1...4, using: &random), else: 0)
        coordinatorCrashes = sometimes(Int.random(in: 1...3, using: &random), else: 0)
        powerCutShare = sometimes(1, else: 0.3)
        diesInCalls = sometimes(true, else: false)
        syncFailure = sometimes(0.05, else: 0)
        spoolCapacity = sometimes((1 << 20) + Int.random(in: 4_000...20_000, using: &random), else: spoolCapacity)
        libraryCapacity = sometimes(Int.random(in: 5_000...60_000, using: &random), else: libraryCapacity)
        catalogueFailure = sometimes(0.2, else: 0)
        cameraFault = sometimes(0.3, else: 0)
        cancellations = sometimes(Int.random(in: 1...3, using: &random), else: 0)
        slowestDisk = sometimes(.seconds(1), else: slowestDisk)
        restoresBackup = sometimes(true, else: false)
        reimages = sometimes(1, else: 0)
        preparationFailure = sometimes(0.3, else: 0)
        pace = sometimes(.milliseconds(Int64.random(in: 10...300, using: &random)), else: pace)
        wander = sometimes(0.4e-6, else: 0)
        replacesCoordinator = sometimes(true, else: false)
        frameFault = sometimes(Double.random(in: 0.02...0.3, using: &random), else: 0)
        refusesEvents = Int.random(in: 0..<8, using: &random) == 0
        choosesNodes = Bool.random(using: &random)
        queues = Bool.random(using: &random)
        annotations = sometimes(Int.random(in: 1...6, using: &random), else: 0)
        settings = sometimes(Int.random(in: 1...6, using: &random), else: 0)
        orders = sometimes(Int.random(in: 1...12, using: &random), else: 0)
        hasGroups = nodeCount > 1 && Bool.random(using: &random)
        setsNodes = Bool.random(using: &random)
        arms = sometimes(true, else: false)
        clockJumps = sometimes(Int.random(in: 1...4, using: &random), else: 0)
        wire = sometimes(Int64.random(in: 200...4000, using: &random), else: nil)
        diskLosses = sometimes(Int.random(in: 1...3, using: &random), else: 0)
        // Longer than anybody may be left without an answer.
        if diskLosses > 0 { trouble += .seconds(25) }
        sleeps = sometimes(Int.random(in: 1...3, using: &random), else: 0)
    }

    /// The clock of a board that was switched on at this instant of virtual time.
    func clock(of index: Int, booted: Int64) -> SimulatedClock {
        var random = SplitMix64(state: seed &* 57 &+ UInt64(index))
        return SimulatedClock(
            offset: booted, skew: Double.random(in: -drift...drift, using: &random), wander: (wander, 300))
    }

    /// Ends the trouble: nothing goes wrong from now on.
    mutating func heal() {
        (loss, duplication, syncFailure, catalogueFailure, cameraFault, frameFault) = (0, 0, 0, 0, 0, 0)
        preparationFailure = 0
        (spoolCapacity, libraryCapacity) = (1 << 30, 1 << 30)
        longestWay = .milliseconds(5)
        slowestDisk = .milliseconds(20)
        diesInCalls = false
        wire = nil
    }
}
