import CaptureModel
import Catalogue
import Coordinator
import Foundation
import NodeAgent
import PhotoCapture
import Posix
import RigProtocol
import RigTransport
import SimulatedCamera

/// How far apart the exposures of a rig begin, from the operator's request to the catalogue's answer through a
/// coordinator and nodes as their programs compose them, against the same cameras with the capture core alone, all told
/// "now" by one process.
///
/// A node tells its starts by what it knows of rig time, so what the catalogue says of their uncertainty is added.
enum RigFire {
    private static let nodeCount = 12
    private static let rounds = 7

    /// - Returns: the medians, in nanoseconds.
    static func spreads() async throws -> (rig: Double, told: Double) {
        let bare = try (0..<nodeCount).map { try BareCamera(camera($0)) }
        return try await withRig(of: nodeCount) { ada, coordinator in
            var (rig, told): ([Int64], [Int64]) = ([], [])
            for _ in 0..<rounds {
                // In turn, so that whatever else the machine does meets both.
                rig.append(try await spread(ada, coordinator))
                told.append(try await spread(bare))
            }
            return (median(rig), median(told))
        }
    }

    /// Runs a rig of simulated cameras until the body has ended.
    ///
    /// - Parameters:
    ///   - dimensions: of their frames.
    ///   - settling: how long the rig stands before it is used, in seconds: at least until frames have moved onto the
    ///     grid.
    ///   - spools: where those of the nodes are.
    ///   - onNotice: told what watchers are told, at that instant.
    static func withRig<Answer: Sendable>(
        of nodeCount: Int, dimensions: Dimensions = usual, settling: Int = 5,
        spools: String = NSTemporaryDirectory(), onNotice: @escaping @Sendable (Notice) -> Void = { _ in },
        _ body: (OperatorClient, LoopbackCoordinator) async throws -> Answer
    ) async throws -> Answer {
        let name = "/volley-fire-\(ProcessInfo.processInfo.processIdentifier)"
        let (library, spools) = (NSTemporaryDirectory() + name, spools + name + "-spools")
        defer { for folder in [library, spools] { try? FileManager.default.removeItem(atPath: folder) } }
        let names = (0..<nodeCount).compactMap { NodeName("node-\($0)") }
        for folder in [library] + names.map({ "\(spools)/\($0)" }) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let coordinator = try LoopbackCoordinator(
            library: library, nodes: names, users: ["ada"], onNotice: onNotice)
        defer { coordinator.close() }
        let ada = try coordinator.client("ada")
        defer { ada.close() }
        let nodes = try names.enumerated().map { index, name in
            let camera = Self.camera(index, dimensions)
            return try coordinator.introduction.node(name, spool: "\(spools)/\(name)") { () throws(CaptureError) in
                SimulatedCamera(camera)
            }
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            for node in nodes { group.addTask { try await node.run() } }
            while try await ada.ask(NodesRequest(), seconds: 60).nodes.count(where: { $0.state == .ready }) < nodeCount
            {
                try await Task.sleep(for: .milliseconds(100))
            }
            try await Task.sleep(for: .seconds(settling))
            let answer = try await body(ada, coordinator)
            for node in nodes { await node.stop() }
            await coordinator.service.stop()
            try await group.waitForAll()
            return answer
        }
    }

    static func median(_ values: [Int64]) -> Double { Double(values.sorted()[values.count / 2]) }

    static let usual = Dimensions(width: 160, height: 120)

    static func camera(_ index: Int, _ dimensions: Dimensions = usual) -> SimulatedCameraConfiguration {
        var configuration = SimulatedCameraConfiguration(seed: UInt64(index) + 1)
        configuration.dimensions = dimensions
        return configuration
    }

    private static func spread(_ ada: OperatorClient, _ coordinator: LoopbackCoordinator) async throws -> Int64 {
        let plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg], policy: .all)
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: nil, labels: [:])
        let id = try await ada.ask(request).uniqueID
        while try await coordinator.catalogue.unfinishedCaptures().contains(id) {
            try await Task.sleep(for: .milliseconds(20))
        }
        guard let capture = try await coordinator.catalogue.capture(id), capture.summary.state == .complete,
            let spread = capture.spreads.first, spread.nodeCount == nodeCount
        else { preconditionFailure("capture \(id) is not complete") }
        return spread.spreadNanoseconds + spread.uncertaintyNanoseconds
    }

    private static func spread(_ cameras: [BareCamera]) async throws -> Int64 {
        var prepared: [PreparedCapture] = []
        for camera in cameras { prepared.append(try await camera.prepare()) }
        let starts = try await withThrowingTaskGroup(of: Int64.self) { group in
            for (camera, capture) in zip(cameras, prepared) { group.addTask { try await camera.fire(capture) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return (starts.max() ?? 0) - (starts.min() ?? 0)
    }
}

/// A camera with the capture core alone: it fires when it is told.
struct BareCamera: Sendable {
    private let session: CaptureSession
    private let output: PhotoOutput

    init(_ configuration: SimulatedCameraConfiguration) throws {
        session = CaptureSession()
        output = PhotoOutput(software: "benchmark")
        try session.addInput(CaptureDevice(SimulatedCamera(configuration)))
        try session.addOutput(output)
        try session.startRunning()
    }

    func prepare() async throws -> PreparedCapture {
        let plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg])
        return try await output.prepare(plan.settings(UniqueID(rawValue: Clocks.microsecondsSinceEpoch())))
    }

    /// - Returns: when its exposure began.
    func fire(_ capture: PreparedCapture) async throws -> Int64 {
        var start: Int64?
        for await timed in try output.fire(capture) {
            if case .didFinishProcessingPhoto(let photo) = timed.event {
                start = photo.record.exposureStart?.time.nanoseconds
            }
        }
        guard let start else { preconditionFailure("a simulated camera takes every photo") }
        return start
    }
}
