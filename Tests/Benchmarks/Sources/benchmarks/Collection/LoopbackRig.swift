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
        ] + names.map { .captureNodeState(id, node: $0, .firing, nil) }
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

    /// Nodes are up and look for their coordinator; it begins, and all is collected.
    ///
    /// - Returns: the seconds until every photo is durable, in the catalogue, and acknowledged.
    func collect() async throws -> Double {
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: names)
        defer { coordinator.close() }
        let nodes = try names.map { name in
            try coordinator.node(name, spool: "\(folder)/spool-\(name)") { () throws(CaptureError) in
                throw CaptureError(.deviceNotConnected, "none")
            }
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes { group.addTask { try await node.run() } }
            try await Task.sleep(for: .seconds(2))
            let start = Clocks.monotonicNanoseconds()
            group.addTask { try await coordinator.service.run() }
            // A node forgets what is acknowledged.
            while holdsCaptures { try await Task.sleep(for: .milliseconds(2)) }
            let seconds = Double(Clocks.monotonicNanoseconds() - start) / 1e9
            for id in captureIDs {
                let state = try await coordinator.catalogue.capture(id)?.summary.state
                precondition(state == .complete, "capture \(id) is \(state?.rawValue ?? "unknown")")
            }
            await withTaskGroup(of: Void.self) { ends in
                for node in nodes { ends.addTask { await node.stop() } }
            }
            await coordinator.service.stop()
            try await group.waitForAll()
            return seconds
        }
    }

    private var holdsCaptures: Bool {
        names.contains { name in
            captureIDs.contains { FileManager.default.fileExists(atPath: "\(folder)/spool-\(name)/\($0)") }
        }
    }
}
