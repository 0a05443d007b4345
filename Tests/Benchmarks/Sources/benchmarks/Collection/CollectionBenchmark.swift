import Foundation
import Posix

/// Collecting photos from nodes, against what a user would run instead and against the wire.
enum CollectionBenchmark {
    private static let rounds = 5
    private static let photoCount = 200
    private static let photo = (0..<(2 << 20)).map { _ in UInt8.random(in: .min ... .max) }

    static func run() async throws -> [Result] {
        var results: [Result] = []
        for nodeCount in [1, 16] { results += try await run(nodeCount) }
        return results
    }

    private static func run(_ nodeCount: Int) async throws -> [Result] {
        let base = ProcessInfo.processInfo.environment["VOLLEY_BENCHMARK_FOLDER"] ?? NSTemporaryDirectory()
        let folder = base + "/volley-collection-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rig = LoopbackRig(
            folder: folder + "/rig", nodeCount: nodeCount,
            photosPerNode: (photoCount + nodeCount - 1) / nodeCount, photo: photo)
        let peers = try RsyncPeers(folder: folder + "/rsync", nodeCount: nodeCount, rig.photosPerNode, photo)
        defer { peers.stop() }
        var rates: [String: [Double]] = [:]
        for _ in 0..<rounds {
            try await rig.prepare()
            // In turn, so that whatever else the machine does meets all.
            rates["volley", default: []].append(Double(rig.byteCount) / (try await rig.collect()))
            rates["rsync over ssh", default: []].append(Double(rig.byteCount) / (try peers.collect(.ssh)))
            rates["rsync daemon", default: []].append(Double(rig.byteCount) / (try peers.collect(.daemon)))
            rates["CURVE stream", default: []].append(StreamBound.curve(rig.byteCount, senders: nodeCount))
            rates["raw TCP", default: []].append(StreamBound.tcp(rig.byteCount))
        }
        let medians = rates.mapValues { $0.sorted()[$0.count / 2] }
        for (name, rate) in medians.sorted(by: { $0.value > $1.value }) {
            print("     \(nodeCount) nodes, \(name): \(Int(rate / 1e6)) MB/s")
        }
        func ratio(to name: String) -> Double { (medians["volley"] ?? 0) / (medians[name] ?? 1) }
        let what = "collection from \(nodeCount) nodes, encrypted, hashed, durable, catalogued"
        return [
            Result(
                name: "\(what), over rsync over ssh", value: ratio(to: "rsync over ssh"), unit: "",
                threshold: 2 ... .infinity),
            Result(
                name: "\(what), over rsync's daemon", value: ratio(to: "rsync daemon"), unit: "",
                threshold: 0.6 ... .infinity),
            Result(
                name: "\(what), over a bare CURVE stream", value: ratio(to: "CURVE stream"), unit: "",
                threshold: 0.85 ... .infinity),
        ]
    }
}
