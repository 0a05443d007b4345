package import CaptureModel
package import Catalogue
import Logging
package import PhotoStore

extension Library {
    /// Keeps what a catalogue knows of a capture beside its photos; durable when this returns.
    package func keep(_ id: UniqueID, as catalogue: Catalogue) async throws {
        guard let archive = try await catalogue.archive(of: id) else { return }
        try keep(archive.json, of: id, createdAt: archive.createdAt)
    }
}

/// Keeps each capture's archive beside its photos: one after the other, the newest state of each.
actor Archivist {
    private let catalogue: Catalogue
    private let library: Library
    private let logger: Logger
    private var waiting: Set<UniqueID> = []
    private var worker: Task<Void, Never>?
    private var isEnding = false

    init(_ catalogue: Catalogue, _ library: Library, _ logger: Logger) {
        self.catalogue = catalogue
        self.library = library
        self.logger = logger
    }

    /// Archives a capture now; durable when this returns.
    func keep(_ id: UniqueID) async throws {
        try await library.keep(id, as: catalogue)
    }

    /// Archives a capture soon.
    func add(_ id: UniqueID) {
        waiting.insert(id)
        if worker == nil { worker = Task { await self.work() } }
    }

    /// Waits until nothing is left to be archived, but not for a disk that takes nothing.
    func finish() async {
        isEnding = true
        await worker?.value
    }

    private func work() async {
        while let id = waiting.min() {
            waiting.remove(id)
            do {
                try await keep(id)
            } catch {
                logger.warning("capture \(id) cannot be archived beside its photos: \(error)")
                if isEnding { break }
                // The catalogue has it; it is tried until there is room again.
                waiting.insert(id)
                try? await Task.sleep(for: .seconds(1))
            }
        }
        worker = nil
    }
}
