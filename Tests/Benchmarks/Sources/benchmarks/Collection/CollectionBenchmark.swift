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

    static func run() async throws -> [Result] {
        var results: [Result] = []
        for nodeCount in [1, 16] {
            let rates = try await measure(nodeCount)
            let what = "collection from \(nodeCount) nodes, encrypted, hashed, durable, catalogued, over "
            for (peer, least) in [("rsync over ssh", 2), ("rsync's daemon", 0.6), ("a bare CURVE stream", 0.85)] {
                results.append(
                    Result(name: what + peer, value: rates.ratio(to: peer), unit: "", threshold: least ... .infinity))
            }
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
        let value = try await measure(16).ratio(to: "a bare CURVE stream")
        return [
            Result(
                name: "collection from 16 nodes at 1 Gbit/s, over a bare CURVE stream", value: value, unit: "",
                threshold: 0.85 ... .infinity)
        ]
    }

    /// Bytes a second, of each.
    private struct Rates {
        var all: [String: [Double]] = [:]

        mutating func add(_ name: String, _ rate: Double) { all[name, default: []].append(rate) }
        func median(_ name: String) -> Double { all[name].map { $0.sorted()[$0.count / 2] } ?? .nan }
        func ratio(to name: String) -> Double { median("Volley") / median(name) }
    }

    private static func measure(_ nodeCount: Int) async throws -> Rates {
        let base = ProcessInfo.processInfo.environment["VOLLEY_BENCHMARK_FOLDER"] ?? NSTemporaryDirectory()
        let folder = base + "/volley-collection-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rig = LoopbackRig(
            folder: folder + "/rig", nodeCount: nodeCount,
            photosPerNode: (photoCount + nodeCount - 1) / nodeCount, photo: photo)
        let peers = try RsyncPeers(folder: folder + "/rsync", nodeCount: nodeCount, rig.photosPerNode, photo)
        defer { peers.stop() }
        var rates = Rates()
        for _ in 0..<rounds {
            try await rig.prepare()
            // In turn, so that whatever else the machine does meets all.
            rates.add("Volley", Double(rig.byteCount) / (try await rig.collect()))
            rates.add("rsync over ssh", Double(rig.byteCount) / (try peers.collect(.ssh)))
            rates.add("rsync's daemon", Double(rig.byteCount) / (try peers.collect(.daemon)))
            rates.add("a bare CURVE stream", StreamBound.curve(rig.byteCount, senders: nodeCount))
            rates.add("raw TCP", StreamBound.tcp(rig.byteCount))
        }
        for name in rates.all.keys.sorted() {
            print("     \(nodeCount) nodes, \(name): \(Int(rates.median(name) / 1e6)) MB/s")
        }
        return rates
    }
}
