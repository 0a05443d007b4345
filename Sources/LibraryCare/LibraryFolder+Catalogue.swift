package import CaptureModel
package import Catalogue
package import Library

extension LibraryFolder {
    /// Keeps where the rig's cameras stand, in the catalogue and beside the photos; durable when this returns.
    ///
    /// - Returns: the same, with its version, which no other ever had.
    package func keep(_ geometry: RigGeometry, in catalogue: Catalogue) async throws -> RigGeometry {
        let kept = try await catalogue.keep(geometry, after: try geometryVersions().last ?? 0)
        do {
            try keep(kept)
        } catch {
            forgetGeometry(version: kept.version)
            try? await catalogue.forgetGeometry(version: kept.version)
            throw error
        }
        return kept
    }

    /// Brings what a catalogue and its library know of that to the same: one of them may have been lost, or be an old
    /// copy.
    ///
    /// - Returns: what could not be, one sentence each.
    package func reconcileGeometry(_ catalogue: Catalogue) async -> [String] {
        let (beside, known): (Set<Int>, Set<Int>)
        do {
            (beside, known) = (Set(try geometryVersions()), Set(try await catalogue.geometryVersions()))
        } catch {
            return ["The rig's geometry beside the photos cannot be read: \(error)"]
        }
        var problems: [String] = []
        for version in beside.symmetricDifference(known).sorted() {
            do {
                if let geometry = try geometry(version: version) {
                    _ = try await catalogue.keep(geometry)
                } else if let geometry = try await catalogue.geometry(version: version) {
                    try keep(geometry)
                } else {
                    problems.append("\(root)/geometry/\(version).json is damaged; what it said of the rig is lost.")
                }
            } catch {
                problems.append("Version \(version) of the rig's geometry is not kept twice: \(error)")
            }
        }
        return problems
    }
}
