import CaptureModel
import Posix
import RigClock
import RigSimulation
import SimulatedCamera
import SimulationKit
import Synchronization

/// How far apart nodes are triggered: told the instant beforehand, against told "now".
enum FireBenchmark {
    static func run() async throws -> [Result] { [realTimers(), virtual(), try await realRig()] }

    // MARK: A rig with real services

    private static func realRig() async throws -> Result {
        let spreads = try await RigFire.spreads()
        print(
            "     a rig on loopback: exposures begin at most \(spreads.rig / 1e3) µs apart, \(spreads.told / 1e3) µs when told now"
        )
        return Result(
            name: "fire, 12 nodes from an operator's request to the catalogue: spread over that of cameras told now",
            value: spreads.rig / spreads.told, unit: "", threshold: 0...0.1)
    }

    // MARK: A hundred threads with real timers

    private static let agentCount = 100
    private static let rounds = 15

    private static func realTimers() -> Result {
        let agents = (0..<agentCount).map { _ in Agent() }
        defer { agents.forEach { $0.stop() } }
        var (appointed, told): ([Int64], [Int64]) = ([], [])
        for _ in 0..<rounds {
            // In turn, so that whatever else the machine does meets both.
            let instant = Clocks.monotonicNanoseconds() + 200_000_000
            agents.forEach { $0.fire(at: instant) }
            appointed.append(spread(agents.map { $0.triggered() }))
            agents.forEach { $0.fire(at: 0) }
            told.append(spread(agents.map { $0.triggered() }))
        }
        func median(_ values: [Int64]) -> Double { Double(values.sorted()[values.count / 2]) }
        print(
            "     \(agentCount) threads: \(median(appointed) / 1e3) µs apart by appointment, \(median(told) / 1e3) µs when told now"
        )
        return Result(
            name: "fire, \(agentCount) threads with real timers: spread over that of messages that say now, medians",
            value: median(appointed) / median(told), unit: "", threshold: 0...0.5)
    }

    private static func spread(_ times: [Int64]) -> Int64 { (times.max() ?? 0) - (times.min() ?? 0) }

    /// A node that waits for orders on a socket, and for its time.
    private final class Agent: Sendable {
        private let orders = UDPSocket()
        private let coordinator = UDPSocket()
        private let reports = UDPSocket()
        private let thread: OSThread

        init() {
            orders.connect(to: coordinator.port)
            coordinator.connect(to: orders.port)
            let answers = UDPSocket()
            answers.connect(to: reports.port)
            thread = OSThread(name: "agent") { [orders] in
                while let order = orders.receive(), order[0] >= 0 {
                    Clocks.sleepThread(untilMonotonicNanoseconds: order[0])
                    answers.send([Clocks.monotonicNanoseconds()])
                }
            }
        }

        func fire(at instant: Int64) { coordinator.send([instant]) }
        func triggered() -> Int64 { reports.receive()?[0] ?? 0 }

        func stop() {
            coordinator.send([-1])
            thread.join()
        }
    }

    // MARK: A thousand nodes in virtual time

    /// What it takes to send one message of a thousand, in nanoseconds: a tenth of what ZeroMQ was measured to take.
    private static let sendCost: Int64 = 500

    private static func virtual() -> Result {
        var (appointed, told): ([Int64], [Int64]) = ([], [])
        var random = SplitMix64(state: 1)
        for node in 0..<UInt64(1000) {
            var path = SimulatedPath.wired(seed: node)
            let clock = SimulatedClock(
                offset: Int64.random(in: 0...1 << 50, using: &random),
                skew: Double.random(in: -40e-6...40e-6, using: &random))
            var filter = HullFilter()
            for probe in 0..<Int64(200) {
                if let (probe, _) = path.probe(clock, at: probe * 50_000_000) { filter.add(probe) }
            }
            let now = clock.local(.seconds(10))
            let fireTime = RigTime(nanoseconds: .seconds(11))
            let local = filter.estimate(at: now).monotonicTime(at: fireTime)
            appointed.append(local.nanoseconds + clock.trueOffset(at: .seconds(11)))
            told.append(Int64(node) * sendCost + path.delay(path.out))
        }
        print(
            "     1000 nodes in virtual time: \(spread(appointed) / 1000) µs apart by appointment, \(spread(told) / 1000) µs when told now"
        )
        return Result(
            name: "fire, 1000 nodes in virtual time: spread over that of messages that say now",
            value: Double(spread(appointed)) / Double(spread(told)), unit: "", threshold: 0...0.01)
    }
}
