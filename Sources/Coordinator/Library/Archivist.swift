import CaptureModel
import Catalogue
import Logging
import PhotoStore

/// Keeps each capture's archive beside its photos: one after the other, the newest state of each.
actor Archivist {
    private let catalogue: Catalogue
    private let library: Library
    private let logger: Logger
    /// What is to be archived, with the time at which each was accepted.
    private var waiting: [UniqueID: Int64] = [:]
    private var worker: Task<Void, Never>?
    private var isEnding = false

    init(_ catalogue: Catalogue, _ library: Library, _ logger: Logger) {
        self.catalogue = catalogue
        self.library = library
        self.logger = logger
    }

    /// Archives a capture now; durable when this returns.
    func keep(_ id: UniqueID, createdAt: Int64) async throws {
        guard let archive = try await catalogue.archive(of: id) else { return }
        try await library.keep(archive, of: id, createdAt: createdAt)
    }

    /// Archives a capture soon.
    func add(_ id: UniqueID, createdAt: Int64) {
        waiting[id] = createdAt
        if worker == nil { worker = Task { await self.work() } }
    }

    /// Waits until nothing is left to be archived, but not for a disk that takes nothing.
    func finish() async {
        isEnding = true
        await worker?.value
    }

    private func work() async {
        while let (id, createdAt) = waiting.min(by: { $0.key < $1.key }) {
            waiting[id] = nil
            do {
                try await keep(id, createdAt: createdAt)
            } catch {
                logger.warning("capture \(id) cannot be archived beside its photos: \(error)")
                if isEnding { break }
                // The catalogue has it; it is tried until there is room again.
                if waiting[id] == nil { waiting[id] = createdAt }
                try? await Task.sleep(for: .seconds(1))
            }
        }
        worker = nil
    }
}
