package import CaptureModel
package import Catalogue
import Library

extension Library {
    /// The photos that a previous run left incomplete and that are still awaited, with the number of bytes that are
    /// there; the others are removed.
    package func partials(for catalogue: Catalogue) async throws -> [PhotoID: Int] {
        var wanted = try partials()
        for key in wanted.keys.sorted()
        where try await catalogue.isSettled(key.uniqueID, node: key.node, photoCount: key.photoCount) {
            discard(key)
            wanted[key] = nil
        }
        return wanted
    }

    /// Brings a capture's photos into the trash, or back from there, as a catalogue says, and archives beside them what it
    /// knows; durable when this returns.
    ///
    /// In this order, as it may be the trash that makes room for the archive; what an archive is behind comes right again.
    package func keep(_ id: UniqueID, as catalogue: Catalogue) async throws {
        guard let archive = try await catalogue.archive(of: id) else { return }
        try arrange(archive.places, of: id, createdAt: archive.createdAt)
        try keep(archive.json, of: id, createdAt: archive.createdAt)
    }

    /// Archives a new capture; if that fails, nothing of it stays.
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
