import CaptureModel
import Foundation
import Glibc
import Posix
import RigClock
import RigSimulation
import RigTransport
import SimulatedCamera
import SimulationKit

/// Probes of one node, with the truth: what any estimator is fed.
struct ClockTrace {
    /// A probe, with the rig time at which its answer returned.
    typealias Answered = (probe: ClockProbe, returned: Int64)

    /// From the beginning of one pair to the next, in nanoseconds.
    private static let pause: Int64 = 100_000_000

    let clock: SimulatedClock
    /// As a node sends them: two, the second as soon as the first is answered.
    let pairs: [[Answered]]

    /// The probes from every third on, for one who asks once and then stops.
    var endings: ClockTrace {
        let probes = probes
        return ClockTrace(
            clock: clock, pairs: stride(from: 0, to: probes.count - 1, by: 3).map { Array(probes[$0...].prefix(300)) })
    }

    var probes: [Answered] { pairs.flatMap(\.self) }

    /// Over a simulated network, for this many seconds.
    static func simulated(_ path: SimulatedPath, seconds: Double, seed: UInt64) -> ClockTrace {
        var (path, random) = (path, SplitMix64(state: seed))
        // The reference's boards: 20 ppm as a rule, and a rate that wanders.
        let skew = Double.random(in: -40e-6...40e-6, using: &random)
        let clock = SimulatedClock(offset: 1 << 40, skew: skew, wander: (0.1e-6, 300))
        let start = Int64.random(in: 0...Int64(1e12), using: &random)
        let pairs = (0..<Int(seconds * 10)).compactMap { index -> [Answered]? in
            path.probe(clock, at: start + Int64(index) * pause).map { first in
                [first] + (path.probe(clock, at: first.returned).map { [$0] } ?? [])
            }
        }
        return ClockTrace(clock: clock, pairs: pairs)
    }

    /// The same network as it is probed by one who asks again as soon as there is an answer, every 12 seconds.
    static func simulated(_ path: SimulatedPath, runs: Int, of count: Int, seed: UInt64) -> ClockTrace {
        var (path, random) = (path, SplitMix64(state: seed))
        let skew = Double.random(in: -40e-6...40e-6, using: &random)
        let clock = SimulatedClock(offset: 1 << 40, skew: skew, wander: (0.1e-6, 300))
        let start = Int64.random(in: 0...Int64(1e12), using: &random)
        let pairs = (0..<runs).map { run -> [Answered] in
            var time = start + Int64(run) * .seconds(12)
            return (0..<count).compactMap { _ in
                guard let answered = path.probe(clock, at: time) else {
                    // A lost one is waited for.
                    time += .seconds(1)
                    return nil
                }
                time = answered.returned
                return answered
            }
        }
        return ClockTrace(clock: clock, pairs: pairs)
    }

    /// The same probes as a board with another clock would have made them.
    func seen(by clock: SimulatedClock) -> ClockTrace {
        let pairs = pairs.map { pair in
            pair.map { item -> Answered in
                let sent = item.probe.sent.nanoseconds + self.clock.trueOffset(at: item.probe.sent.nanoseconds)
                let probe = ClockProbe(
                    sent: clock.local(sent), received: item.probe.received, answered: item.probe.answered,
                    returned: clock.local(item.returned))
                return (probe, item.returned)
            }
        }
        return ClockTrace(clock: clock, pairs: pairs)
    }

    /// Over this machine's real loopback, while busy threads want its cores. Both ends have one clock.
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
        let start = Clocks.monotonicNanoseconds()
        let pairs = (0..<Int64(seconds * 10)).map { index in
            Clocks.sleepThread(untilMonotonicNanoseconds: start + index * pause)
            return (0..<2).compactMap { _ in exchange(node) }
        }
        isOver.set()
        node.send([0])
        answering.join()
        load.forEach { $0.join() }
        return ClockTrace(clock: SimulatedClock(), pairs: pairs)
    }

    /// The same over what is shipped: ZeroMQ with CURVE, and JSON.
    static func shipped(seconds: Double, busyThreads: Int) async throws -> ClockTrace {
        let folder = NSTemporaryDirectory() + "/volley-clock-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let coordinator = try LoopbackCoordinator(library: folder, nodes: ["node"])
        defer { coordinator.close() }
        let link = try coordinator.introduction.clockLink("node")
        let isOver = Flag()
        let load = (0..<busyThreads).map { index in
            OSThread(name: "load-\(index)") { while !isOver.isSet {} }
        }
        let pace = Task {
            for _ in 0..<Int(seconds * 10) {
                link.sendProbe()
                try await Task.sleep(for: .nanoseconds(pause))
            }
            link.close()
        }
        var probes: [Answered] = []
        while let probe = await link.nextProbe() { probes.append((probe, probe.returned.nanoseconds)) }
        try await pace.value
        isOver.set()
        load.forEach { $0.join() }
        return ClockTrace(clock: SimulatedClock(), pairs: probes.map { [$0] })
    }

    private static func exchange(_ node: UDPSocket) -> Answered? {
        let sent = Clocks.monotonicNanoseconds()
        node.send([sent])
        guard let times = node.receive(), times.count == 2 else { return nil }
        let returned = Clocks.monotonicNanoseconds()
        let probe = ClockProbe(
            sent: MonotonicTime(nanoseconds: sent), received: RigTime(nanoseconds: times[0]),
            answered: RigTime(nanoseconds: times[1]), returned: MonotonicTime(nanoseconds: returned))
        return (probe, returned)
    }
}
