import Foundation
import Posix
import SimulatedCamera
import SimulationKit

/// Collecting photos from nodes, against what a user would run instead and against the wire.
enum CollectionBenchmark {
    private static let rounds = 5
    private static let photoCount = 200
    /// Nothing that could be compressed.
    private static let photo: [UInt8] = {
        var random = SplitMix64(state: 1)
        return (0..<(2 << 17)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }()

    /// What a studio feels is what its coordinator has to do for each photo, and its network. On loopback, where both
    /// ends share the same cores, rates are shown but say little.
    static func run() async throws -> [Result] {
        var results: [Result] = []
        // To one node ssh connects once, and its ciphers are fast: CURVE's, the hash that the catalogue keeps and the copy
        // to the disk alone take more than half of what it takes. Rigs have many nodes.
        for (nodeCount, most) in [(1, 1.5), (16, 0.5)] {
            let figures = try await measure(nodeCount)
            results.append(
                Result(
                    name:
                        "collection from \(nodeCount) nodes, encrypted, hashed, durable, catalogued: the coordinator's "
                        + "processor time over that of rsync and ssh on the receiving side",
                    value: figures.cost("Volley") / figures.cost("rsync over ssh"), unit: "", threshold: 0...most))
        }
        return results + [inNamespace()]
    }

    /// Again where loopback is as fast as a cable.
    private static func inNamespace() -> Result {
        let script = """
            ip link set lo up && tc qdisc add dev lo root tbf rate 1gbit burst 256kb latency 50ms \
                && exec '\(CommandLine.arguments[0])' wire
            """
        let isGood = Child(["/usr/bin/unshare", "--net", "/bin/sh", "-c", script]).wait()
        return Result(
            name: "collection at 1 Gbit/s, within its threshold", value: isGood ? 1 : 0, unit: "",
            threshold: 1 ... .infinity)
    }

    static func runOnWire() async throws -> [Result] {
        var results: [Result] = []
        for nodeCount in [1, 16] {
            results.append(
                Result(
                    name: "collection from \(nodeCount) nodes at 1 Gbit/s, over a bare CURVE stream",
                    value: try await measure(nodeCount).ratio(to: "a bare CURVE stream"), unit: "",
                    threshold: 0.85 ... .infinity))
        }
        return results
    }

    /// What was measured of each, a value a round.
    private struct Figures {
        let byteCount: Int
        /// In seconds.
        var times: [String: [Double]] = [:]
        /// The receiving side's processor time, in seconds.
        var processorTimes: [String: [Double]] = [:]

        /// The median, in bytes a second.
        func rate(_ name: String) -> Double { Double(byteCount) / Self.median(times[name]) }
        /// The median, in seconds a gigabyte.
        func cost(_ name: String) -> Double { Self.median(processorTimes[name]) / Double(byteCount) * 1e9 }
        func ratio(to name: String) -> Double { rate("Volley") / rate(name) }

        private static func median(_ values: [Double]?) -> Double { values.map { $0.sorted()[$0.count / 2] } ?? .nan }
    }

    private static func measure(_ nodeCount: Int) async throws -> Figures {
        let base = ProcessInfo.processInfo.environment["VOLLEY_BENCHMARK_FOLDER"] ?? NSTemporaryDirectory()
        let folder = base + "/volley-collection-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rig = LoopbackRig(
            folder: folder + "/rig", nodeCount: nodeCount,
            photosPerNode: (photoCount + nodeCount - 1) / nodeCount, photo: photo)
        let peers = try RsyncPeers(folder: folder + "/rsync", nodeCount: nodeCount, rig.photosPerNode, photo)
        defer { peers.stop() }
        var figures = Figures(byteCount: rig.byteCount)
        for _ in 0..<rounds {
            try await rig.prepare()
            // In turn, so that whatever else the machine does meets all.
            let cost = try await rig.collect()
            figures.times["Volley", default: []].append(cost.seconds)
            figures.processorTimes["Volley", default: []].append(cost.processorSeconds)
            for (name, kind) in [("rsync over ssh", RsyncPeers.Kind.ssh), ("rsync's daemon", .daemon)] {
                let before = ProcessorTime.ofChildren()
                figures.times[name, default: []].append(try peers.collect(kind))
                // The servers' children are not reaped here, so they do not count.
                figures.processorTimes[name, default: []].append(ProcessorTime.ofChildren() - before)
            }
            for (name, rate) in [
                ("a bare CURVE stream", StreamBound.curve(rig.byteCount, senders: nodeCount)),
                ("raw TCP", StreamBound.tcp(rig.byteCount)),
            ] {
                figures.times[name, default: []].append(Double(rig.byteCount) / rate)
            }
        }
        for name in figures.times.keys.sorted() {
            let cost =
                figures.processorTimes[name] == nil
                ? "" : String(format: ", %.2f s of processor a GB", figures.cost(name))
            print("     \(nodeCount) nodes, \(name): \(Int(figures.rate(name) / 1e6)) MB/s\(cost)")
        }
        return figures
    }
}
