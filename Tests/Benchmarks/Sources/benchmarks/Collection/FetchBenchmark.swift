import CaptureModel
import Coordinator
import Foundation
import PhotoRetrieval
import Posix
import RigProtocol
import RigTransport
import SimulationKit

/// Fetching photos from a coordinator's library into a folder of an operator's machine, against how fast nodes deliver
/// them to that library, and against what an operator would run instead.
enum FetchBenchmark {
    private static let rounds = 5
    private static let photoCount = 200
    private static let nodeCount = 4
    private static let user: NodeName = "ada"

    static func run() async throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-fetch-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Nothing that could be compressed.
        var random = SplitMix64(state: 1)
        let photo = (0..<(2 << 17)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        let rig = LoopbackRig(
            folder: folder + "/rig", nodeCount: nodeCount, photosPerNode: photoCount / nodeCount, photo: photo)
        let peers = try RsyncPeers(folder: folder + "/rsync", nodeCount: 1, photoCount, photo)
        defer { peers.stop() }
        var times: [String: [Double]] = [:]
        for _ in 0..<rounds {
            try await rig.prepare()
            // In turn, so that whatever else the machine does meets all.
            times["nodes that deliver", default: []].append(try await rig.collect().seconds)
            times["fetch", default: []].append(try await fetch(rig, into: folder + "/fetched"))
            times["rsync over ssh", default: []].append(try peers.collect(.ssh))
        }
        func rate(_ name: String) -> Double {
            times[name].map { Double(rig.byteCount) / $0.sorted()[$0.count / 2] } ?? .nan
        }
        for name in times.keys.sorted() { print("     \(name): \(Int(rate(name) / 1e6)) MB/s") }
        return [
            Result(
                name: "fetch of \(photoCount) photos, encrypted, hashed, durable: over the rate at which nodes deliver",
                value: rate("fetch") / rate("nodes that deliver"), unit: "", threshold: 0.9 ... .infinity),
            Result(
                name: "the same over rsync and ssh", value: rate("fetch") / rate("rsync over ssh"), unit: "",
                threshold: 0.9 ... .infinity),
        ]
    }

    /// - Returns: the seconds that it takes to have all of a library's photos in a new folder.
    private static func fetch(_ rig: LoopbackRig, into target: String) async throws -> Double {
        try? FileManager.default.removeItem(atPath: target)
        let door = rig.folder + "/operator"
        try? FileManager.default.removeItem(atPath: door)
        let coordinator = Child([CommandLine.arguments[0], "library=\(rig.folder)"])
        defer { coordinator.end() }
        while !FileManager.default.fileExists(atPath: door) { try await Task.sleep(for: .milliseconds(5)) }
        guard let client = try OperatorIntroduction(reading: door)?.client() else { preconditionFailure("no door") }
        defer { client.close() }
        var filter = PhotoFilter()
        filter.limit = 10_000
        let photos = try await client.ask(PhotosRequest(filter: filter)).found.items
        precondition(photos.count == photoCount, "\(photos.count) photos")
        let start = Clocks.monotonicNanoseconds()
        try await PhotoFetch(client: client, folder: target).fetch(photos) { photo, outcome in
            guard case .fetched = outcome else { preconditionFailure("\(photo.id): \(outcome)") }
        }
        return Double(Clocks.monotonicNanoseconds() - start) / 1e9
    }

    /// The other side: a coordinator without nodes, until it is ended.
    static func runCoordinator(_ folder: String) async throws -> Never {
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: [], users: [user])
        try coordinator.introduction(of: user).write(to: folder + "/operator")
        try await coordinator.service.run()
        exit(0)
    }
}
