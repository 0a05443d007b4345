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

/// A UDP socket on loopback that carries numbers.
private final class UDPSocket: Sendable {
    private let descriptor: CInt
    let port: UInt16

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0, "bind")
                precondition(getsockname(descriptor, $0, &length) == 0, "getsockname")
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    func connect(to port: UInt16) {
        var address = Self.address(port: port)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0, "connect")
            }
        }
    }

    func send(_ numbers: [Int64]) {
        _ = numbers.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
    }

    func receive() -> [Int64]? {
        var numbers = [Int64](repeating: 0, count: 2)
        let count = numbers.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(numbers.prefix(count / 8)) : nil
    }
}
