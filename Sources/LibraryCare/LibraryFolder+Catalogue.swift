package import CaptureModel
package import Catalogue
package import Library

extension LibraryFolder {
    /// Keeps where the rig's cameras stand, in the catalogue and beside the photos; durable when this returns, and nowhere
    /// where it throws.
    ///
    /// - Returns: the same, with its version.
    package func keep(_ geometry: RigGeometry, in catalogue: Catalogue) async throws -> RigGeometry {
        let kept = try await catalogue.keep(geometry)
        do {
            try keep(kept)
        } catch {
            try? await catalogue.forgetGeometry(version: kept.version)
            throw error
        }
        return kept
    }

    /// Brings what a catalogue and its library know of that to the same: one of them may have been lost, or be an old
    /// copy.
    package func reconcileGeometry(_ catalogue: Catalogue) async throws {
        let beside = try geometries()
        let versions = Set(try await catalogue.geometryVersions())
        for geometry in beside where !versions.contains(geometry.version) { _ = try await catalogue.keep(geometry) }
        for version in versions.subtracting(beside.map(\.version)).sorted() {
            if let geometry = try await catalogue.geometry(version: version) { try keep(geometry) }
        }
    }
}
