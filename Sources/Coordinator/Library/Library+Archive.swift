package import CaptureModel
package import Catalogue
package import PhotoStore

extension Library {
    /// Keeps what a catalogue knows of a capture beside its photos; durable when this returns.
    package func keep(_ id: UniqueID, as catalogue: Catalogue) async throws {
        guard let archive = try await catalogue.archive(of: id) else { return }
        try keep(archive.json, of: id, createdAt: archive.createdAt)
    }

    /// The same for a new capture, of which nothing stays where it cannot be kept.
    package func accept(_ id: UniqueID, as catalogue: Catalogue) async throws {
        guard let archive = try await catalogue.archive(of: id) else { return }
        do {
            try keep(archive.json, of: id, createdAt: archive.createdAt)
        } catch {
            withdraw(id, createdAt: archive.createdAt)
            throw error
        }
    }
}
