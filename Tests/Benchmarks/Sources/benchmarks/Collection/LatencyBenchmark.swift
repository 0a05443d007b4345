import CaptureModel
import Catalogue
import Coordinator
import Foundation
import NodeAgent
import Posix
import RigProtocol
import RigTransport
import SimulatedCamera

/// From a photo that is made to one that is durable with the coordinator and in the catalogue, against one rsync for the
/// file. What it takes to make it is the camera's, and here a simulated one's, which draws.
enum LatencyBenchmark {
    private static let captures = 100

    static func run() async throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-latency-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (latencies, byteCount) = try await latencies(folder)
        let peers = try RsyncPeers(
            folder: folder + "/rsync", nodeCount: 1, 1, [UInt8](repeating: 7, count: byteCount))
        defer { peers.stop() }
        let rsync = try (0..<captures).map { _ in try peers.collect(.ssh) }
        func percentile(_ values: [Double], _ share: Double) -> Double {
            values.sorted()[Int(Double(values.count - 1) * share)]
        }
        for (name, values) in [("Volley", latencies), ("rsync over ssh", rsync)] {
            let texts = [0.5, 0.99].map { String(format: "%.1f ms", percentile(values, $0) * 1000) }
            print("     \(name), a photo of \(byteCount / 1000) kB: p50 \(texts[0]), p99 \(texts[1])")
        }
        return [
            Result(
                name: "latency: a photo from made to durable and catalogued, p99, over one rsync for the file (p50)",
                value: percentile(latencies, 0.99) / percentile(rsync, 0.5), unit: "", threshold: 0...0.05)
        ]
    }

    /// In seconds, with the size of a photo.
    private static func latencies(_ folder: String) async throws -> ([Double], Int) {
        for name in ["library", "spool"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let name: NodeName = "node"
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: [name], users: ["operator"])
        defer { coordinator.close() }
        var configuration = SimulatedCameraConfiguration(seed: 1)
        configuration.dimensions = Dimensions(width: 1920, height: 1080)
        let camera = configuration
        let node = try coordinator.introduction.node(name, spool: folder + "/spool") { () throws(CaptureError) in
            SimulatedCamera(camera)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            group.addTask { try await node.run() }
            // The clock and the camera are known.
            try await Task.sleep(for: .seconds(4))
            var latencies: [Double] = []
            var byteCount = 0
            for _ in 0..<captures {
                let (latency, size) = try await capture(coordinator)
                latencies.append(latency)
                byteCount = size
            }
            await node.stop()
            await coordinator.service.stop()
            try await group.waitForAll()
            return (latencies, byteCount)
        }
    }

    private static func capture(_ coordinator: LoopbackCoordinator) async throws -> (Double, Int) {
        let client = try coordinator.client("operator")
        let news = try client.watch(eventsPort: coordinator.eventsPort)
        defer {
            client.close()
            news.close()
        }
        guard case .connected? = await news.next() else { preconditionFailure("a loopback connection was refused") }
        let plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg], policy: .all)
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: nil, labels: [:])
        let id = try await client.ask(request).uniqueID
        // News of a photo are told when it is durable and committed.
        while let arrival = await news.next() {
            guard case .notice(let item) = arrival, item.header.type == CaptureNotice.type,
                let notice = try? item.decode(CaptureNotice.self),
                notice.uniqueID == id, notice.storedPhotoCount == 1
            else { continue }
            let end = Clocks.monotonicNanoseconds()
            guard let detail = try await coordinator.catalogue.capture(id), let photo = detail.photos.first,
                let made = detail.events.last(where: { $0.kind == .didFinishProcessingPhoto })?.rigTime
            else { break }
            return (Double(end - made.nanoseconds) / 1e9, photo.record.file?.byteCount ?? 0)
        }
        preconditionFailure("the news ended")
    }
}
