import CaptureModel
import Catalogue
import DurableFiles
import FoundationEssentials
import Library
import LibraryCare
import Posix
import RigRules
import SimulationKit

/// What must hold in the end, when all is healed.
extension Oracle {
    func checkEnd(_ catalogue: Catalogue, _ disk: SimulatedFileSystem) async throws {
        for id in accepted.sorted() {
            guard let capture = try await catalogue.capture(id) else {
                throw Violation("\(id) is not in the catalogue")
            }
            try check(capture, id)
            let note = capture.summary.note.flatMap { Int($0) } ?? 0
            guard note >= lastNote[id] ?? 0 else { throw Violation("\(id) has note \(note), not \(lastNote[id] ?? 0)") }
            let place = LibraryPath.folder(of: id, createdAt: capture.summary.createdAt)
            let archive = Data((try? disk.read("/library/\(place)/\(LibraryFolder.archiveName)")) ?? [])
            // What a start could not put right is left for the next one.
            let isWhole = try LibraryFolder(root: "/library", files: disk).lastRun() != nil
            let isBehind = Catalogue.progress(of: archive).map(ArchiveProgress(capture).exceeds) ?? true
            guard !isWhole || !isBehind else { throw Violation("the archive of \(id) is behind in the end") }
            try check(capture, LibraryFolder(root: "/library", files: disk), isWhole)
        }
        for (key, file) in promised.sorted(by: { $0.key < $1.key }) {
            guard let path = try await path(of: key, catalogue), let bytes = try? disk.read("/library/" + path) else {
                if try await isGiven(key, catalogue) { continue }
                throw Violation("\(key) was promised, but is not in the library")
            }
            guard Digest.of(bytes) == file.sha256 else { throw Violation("\(key) was promised, but differs") }
        }
    }

    /// Checks what was deleted or put back.
    private func check(_ capture: CaptureDetail, _ folder: LibraryFolder, _ isWhole: Bool) throws {
        let id = capture.summary.uniqueID
        if let last = lastTrashOrder[id], last.open.allSatisfy({ $0 < last.told }), let order = trashOrders[last.told] {
            let isDeleted = capture.summary.deletedAt != nil
            switch order.act {
            case .delete where !isDeleted, .recover where isDeleted:
                throw Violation("\(id) is \(isDeleted ? "deleted" : "not deleted") in the end, after \(order.act)")
            case .empty where capture.photos.contains { $0.trashPath != nil }:
                throw Violation("something of \(id) is in the trash, which was emptied")
            case .delete, .recover, .empty, .deletePhotos: break
            }
        }
        let places = capture.photos.map { $0.place(in: id) }
        guard isWhole else { return }
        let (isArranged, lost) = try folder.trash(places, of: id, createdAt: capture.summary.createdAt)
        guard isArranged, lost.isEmpty else {
            throw Violation("what was deleted of \(id) is not where it belongs: \(lost)")
        }
    }

    private func check(_ capture: CaptureDetail, _ id: UniqueID) throws {
        guard capture.summary.state.isFinal else { throw Violation("\(id) has not ended: \(capture.summary.state)") }
        for photo in capture.photos where photo.path != nil {
            guard let request = requests[id] else { throw Violation("\(id) is nobody's request") }
            let iso = Scenario.iso(of: photo.node, request)
            guard !scenario.setsNodes || photo.record.requested.iso == iso else {
                throw Violation("\(photo.node) was set to \(photo.record.requested) in \(id), not \(iso)")
            }
            guard scenario.formats(of: photo.node, request).contains(photo.record.format) else {
                throw Violation("\(photo.node) delivered \(photo.record.format) in \(id), and was not to")
            }
        }
        for node in capture.nodes {
            let told = capture.events.filter { $0.node == node.node }
            let photos = capture.photos.filter { $0.node == node.node }
            let owed = events[Part(id: id, node: node.node)] ?? []
            guard told.count == owed.count || erased.contains(Part(id: id, node: node.node)) else {
                throw Violation("\(id) of \(node.node) has \(told.count) events")
            }
            if let request = requests[id], let plan = capture.plan {
                let wanted = plan.bracket.count * scenario.formats(of: node.node, request).count
                guard node.expectedPhotoCount == wanted else {
                    throw Violation("\(node.node) owes \(node.expectedPhotoCount) photos in \(id), not \(wanted)")
                }
            }
            guard node.state.isFinal else { throw Violation("\(id) of \(node.node) has not ended") }
            let part = Part(id: id, node: node.node)
            guard !told.isEmpty, !forgotten.contains(part) else { continue }
            try checkDebt(told.map(\.kind) + [refused[part]?.kind].compactMap { $0 }, photos, node, id)
        }
        let isWhole =
            capture.photos.allSatisfy { $0.path != nil || $0.deletedAt != nil }
            && capture.photos.count == capture.summary.expectedPhotoCount
        guard !cancellations.contains(id) || capture.summary.state == .cancelled else {
            throw Violation("\(id) was cancelled, but is \(capture.summary.state)")
        }
        let isComplete = capture.summary.state == .complete
        guard isComplete ? isWhole : !isWhole || capture.summary.state == .cancelled else {
            throw Violation("\(id) is \(capture.summary.state), with \(capture.photos.count) photos")
        }
    }

    private func checkDebt(
        _ told: [CaptureEventKind], _ photos: [StoredPhoto], _ node: CaptureNodeDetail, _ id: UniqueID
    ) throws {
        func count(_ kind: CaptureEventKind) -> Int { told.count { $0 == kind } }
        let steps = Set(photos.map(\.record.sequenceCount)).count
        guard count(.willBeginCapture) == 1, count(.didFinishCapture) == 1, count(.willCapturePhoto) == steps,
            count(.didCapturePhoto) == steps, count(.didFinishProcessingPhoto) == node.expectedPhotoCount,
            photos.count == node.expectedPhotoCount
        else { throw Violation("the debt of \(node.node) in \(id) is not paid exactly: \(told)") }
        for photo in photos where (photo.path == nil && photo.deletedAt == nil) == (photo.record.error == nil) {
            throw Violation("photo \(photo.record.photoCount) of \(node.node) in \(id) is neither stored nor failed")
        }
    }
}
