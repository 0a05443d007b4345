import CaptureModel
import Catalogue
import Coordinator
import Foundation
import Library
import LibraryCare
import NodeAgent
import Posix
import RigProtocol
import Spool

/// A coordinator and nodes over loopback, with the programs' own services, sockets and stores.
///
/// The nodes have no camera: what they deliver lies in their spools, as after an evening without a network.
struct LoopbackRig {
    let folder: String
    let nodeCount: Int
    let photosPerNode: Int
    let photo: [UInt8]

    private static let stepCount = 8
    private static let epoch: Int64 = 1_800_000_000_000_000

    private var names: [NodeName] { (0..<nodeCount).compactMap { NodeName("node-\($0)") } }
    private var captureIDs: [UniqueID] {
        (0..<(photosPerNode + Self.stepCount - 1) / Self.stepCount).map {
            UniqueID(rawValue: Self.epoch + Int64($0) * 1_000_000)
        }
    }

    private func photoCount(of capture: Int) -> Int { min(Self.stepCount, photosPerNode - capture * Self.stepCount) }

    var byteCount: Int { nodeCount * photosPerNode * photo.count }

    // MARK: Before

    /// Fills the spools, and tells a new catalogue of the captures.
    func prepare() async throws {
        try? FileManager.default.removeItem(atPath: folder)
        for name in names {
            let path = "\(folder)/spool-\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let spool = try Spool(root: path)
            for (index, id) in captureIDs.enumerated() { try await fill(spool, id, photoCount(of: index)) }
        }
        let library = "\(folder)/library"
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        let catalogue = try Catalogue(
            path: library + "/catalogue.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        var changes: [CatalogueChange] = names.map { .node(name: $0, nil, at: UTCTime(rawValue: Self.epoch)) }
        for (index, id) in captureIDs.enumerated() { changes += try accepted(id, photoCount(of: index)) }
        try await catalogue.commit(changes)
        let store = try Library(root: library)
        for id in captureIDs { try await store.keep(id, as: catalogue) }
    }

    private func accepted(_ id: UniqueID, _ count: Int) throws -> [CatalogueChange] {
        let plan = Plan(name: "p", bracket: try .burst(count), formats: [.jpeg], policy: .bestEffort)
        let capture = NewCapture(
            uniqueID: id, requestID: "\(id)", firedBy: "ada", plan: plan, createdAt: UTCTime(rawValue: id.rawValue),
            nodes: names)
        return [
            .capture(capture),
            .captureState(
                id, .firing, reason: nil, fireRigTime: RigTime(nanoseconds: 0), at: UTCTime(rawValue: id.rawValue)),
        ] + names.map { .captureNodeState(id, node: $0, .owing, .firing, nil) }
    }

    private func fill(_ spool: Spool, _ id: UniqueID, _ count: Int) async throws {
        let time = MonotonicTime(nanoseconds: 1)
        let exposures = (1...count).map {
            ResolvedExposure(sequenceCount: $0, exposureTargetBias: nil, duration: nil, iso: nil)
        }
        let settings = ResolvedPhotoSettings(
            uniqueID: id, photoDimensions: Dimensions(width: 64, height: 48), rawPhotoDimensions: .zero,
            expectedPhotoCount: count, exposures: exposures)
        var events = [
            CaptureEvent(uniqueID: id, sequence: 1, kind: .willBeginCapture, time: time, resolvedSettings: settings)
        ]
        func add(_ kind: CaptureEventKind, _ step: Int? = nil, _ photo: PhotoRecord? = nil) {
            events.append(
                CaptureEvent(
                    uniqueID: id, sequence: events.count + 1, kind: kind, time: time, sequenceCount: step, photo: photo)
            )
        }
        for exposure in exposures {
            add(.willCapturePhoto, exposure.sequenceCount)
            add(.didCapturePhoto, exposure.sequenceCount)
        }
        for exposure in exposures {
            let kept = try await spool.store(
                photo, uniqueID: id, photoCount: exposure.sequenceCount, format: .jpeg)
            var record = PhotoRecord(
                photoCount: exposure.sequenceCount, sequenceCount: exposure.sequenceCount, format: .jpeg,
                requested: exposure)
            record.file = PhotoFile(
                byteCount: kept.byteCount, sha256: kept.sha256, dimensions: settings.photoDimensions,
                imageUniqueID: "x")
            add(.didFinishProcessingPhoto, exposure.sequenceCount, record)
        }
        add(.didFinishCapture)
        for event in events { try await spool.append(event) }
    }

    // MARK: The collection

    /// What a collection took.
    struct Cost {
        /// Until every photo is durable, in the catalogue, and acknowledged.
        let seconds: Double
        /// The coordinator's processor time, in seconds.
        let processorSeconds: Double
    }

    /// Nodes are up, in a process of their own, and look for their coordinator; it begins, and all is collected.
    func collect() async throws -> Cost {
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: names)
        defer { coordinator.close() }
        try coordinator.introduction.write(to: folder + "/nodes")
        let nodes = Child([CommandLine.arguments[0], "spools=\(folder)"])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            try await Task.sleep(for: .seconds(2))
            let (start, before) = (Clocks.monotonicNanoseconds(), ProcessorTime.ofThisProcess())
            group.addTask { try await coordinator.service.run() }
            while !nodes.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
            let cost = Cost(
                seconds: Double(Clocks.monotonicNanoseconds() - start) / 1e9,
                processorSeconds: ProcessorTime.ofThisProcess() - before)
            precondition(nodes.wait(), "the nodes failed")
            for id in captureIDs {
                let state = try await coordinator.catalogue.capture(id)?.summary.state
                precondition(state == .complete, "capture \(id) is \(state?.rawValue ?? "unknown")")
            }
            await coordinator.service.stop()
            try await group.waitForAll()
            return cost
        }
    }

    /// The nodes' process: it ends when their spools are empty, as a node forgets what is acknowledged.
    ///
    /// - Parameter folder: the rig's.
    static func runNodes(_ folder: String) async throws -> Never {
        let introduction = try Introduction(reading: folder + "/nodes")
        let nodes = try introduction.names.map { name in
            try introduction.node(name, spool: "\(folder)/spool-\(name)") { () throws(CaptureError) in
                throw CaptureError(.deviceNotConnected, "none")
            }
        }
        for node in nodes { Task { try await node.run() } }
        let spools = introduction.names.map { "\(folder)/spool-\($0)" }
        func isEmpty(_ spool: String) throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: spool).allSatisfy { Int64($0) == nil }
        }
        while try !spools.allSatisfy(isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
        exit(0)
    }
}
