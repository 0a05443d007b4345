import CaptureModel
import Glibc
import Posix
import RigClock
import RigSimulation
import SimulatedCamera
import Synchronization

/// Probes of one node, with the truth: what any estimator is fed.
struct ClockTrace {
    let clock: SimulatedClock
    /// Each with the rig time at which its answer returned.
    let probes: [(probe: ClockProbe, returned: Int64)]

    /// Over a simulated network, for so many seconds, 20 a second.
    static func simulated(_ path: SimulatedPath, seconds: Double, seed: UInt64) -> ClockTrace {
        var (path, random) = (path, SplitMix64(state: seed))
        // The reference's boards: 20 ppm as a rule, and a rate that wanders.
        let skew = Double.random(in: -40e-6...40e-6, using: &random)
        let clock = SimulatedClock(offset: 1 << 40, skew: skew, wander: (0.1e-6, 300))
        let start = Int64.random(in: 0...Int64(1e12), using: &random)
        let probes = (0..<Int(seconds * 20)).compactMap { path.probe(clock, at: start + Int64($0) * 50_000_000) }
        return ClockTrace(clock: clock, probes: probes)
    }

    /// The same probes as a board with another clock would have made them.
    func seen(by clock: SimulatedClock) -> ClockTrace {
        let probes = probes.map { item in
            let sent = item.probe.sent.nanoseconds + self.clock.trueOffset(at: item.probe.sent.nanoseconds)
            let probe = ClockProbe(
                sent: clock.local(sent), received: item.probe.received, answered: item.probe.answered,
                returned: clock.local(item.returned))
            return (probe, item.returned)
        }
        return ClockTrace(clock: clock, probes: probes)
    }

    /// Over this machine's real loopback, while busy threads want its cores; 20 a second. Both ends have one clock.
    static func loopback(seconds: Double, busyThreads: Int) -> ClockTrace {
        let (node, coordinator) = (UDPSocket(), UDPSocket())
        node.connect(to: coordinator.port)
        coordinator.connect(to: node.port)
        let isOver = Flag()
        let answering = OSThread(name: "answer") {
            while coordinator.receive() != nil {
                let received = Clocks.monotonicNanoseconds()
                if isOver.isSet { return }
                coordinator.send([received, Clocks.monotonicNanoseconds()])
            }
        }
        let load = (0..<busyThreads).map { index in
            OSThread(name: "load-\(index)") { while !isOver.isSet {} }
        }
        var probes: [(ClockProbe, Int64)] = []
        let start = Clocks.monotonicNanoseconds()
        for index in 0..<Int64(seconds * 20) {
            Clocks.sleepThread(untilMonotonicNanoseconds: start + index * 50_000_000)
            let sent = Clocks.monotonicNanoseconds()
            node.send([sent])
            guard let times = node.receive(), times.count == 2 else { continue }
            let returned = Clocks.monotonicNanoseconds()
            let probe = ClockProbe(
                sent: MonotonicTime(nanoseconds: sent), received: RigTime(nanoseconds: times[0]),
                answered: RigTime(nanoseconds: times[1]), returned: MonotonicTime(nanoseconds: returned))
            probes.append((probe, returned))
        }
        isOver.set()
        node.send([0])
        answering.join()
        load.forEach { $0.join() }
        return ClockTrace(clock: SimulatedClock(), probes: probes)
    }
}

private final class Flag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
