package import CaptureModel
import FoundationEssentials
import GRDB

extension Catalogue {
    /// Keeps where the rig's cameras stand; durable when this returns.
    ///
    /// - Parameters:
    ///   - geometry: with a version that is not known here yet, or with none: it gets the next.
    ///   - last: the last version that is known elsewhere; what is new comes after it.
    /// - Returns: the same, with its version.
    package func keep(_ geometry: RigGeometry, after last: Int = 0) async throws -> RigGeometry {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        return try await writer.write { db in
            var geometry = geometry
            if geometry.version == 0 {
                let here = try Int.fetchOne(db, sql: "SELECT max(version) FROM geometry") ?? 0
                geometry.version = max(here, last) + 1
            }
            let json = String(decoding: try JSONEncoder().encode(geometry), as: UTF8.self)
            try db.execute(
                sql: "INSERT INTO geometry (version, since, geometry) VALUES (?, ?, ?)",
                arguments: [geometry.version, geometry.since, json])
            return geometry
        }
    }

    /// Where the rig's cameras stood, as far as is known.
    ///
    /// - Parameter time: by what held then.
    package func geometry(at time: UTCTime) async throws -> RigGeometry? {
        try await geometry("since <= ? ORDER BY since DESC, version DESC LIMIT 1", time)
    }

    /// One version; nil where there is none of that number.
    package func geometry(version: Int) async throws -> RigGeometry? { try await geometry("version = ?", version) }

    private func geometry(_ condition: String, _ argument: some DatabaseValueConvertible & Sendable) async throws
        -> RigGeometry?
    {
        try await database.read { db in
            // One that is only read may be of an earlier release.
            guard try db.tableExists("geometry") else { return nil }
            let json = try String.fetchOne(
                db, sql: "SELECT geometry FROM geometry WHERE \(condition)", arguments: [argument])
            return try json.map { try JSONDecoder().decode(RigGeometry.self, from: Data($0.utf8)) }
        }
    }

    /// The versions that there are, in order.
    package func geometryVersions() async throws -> [Int] {
        try await database.read { db in
            guard try db.tableExists("geometry") else { return [] }
            return try Int.fetchAll(db, sql: "SELECT version FROM geometry ORDER BY version")
        }
    }

    /// Takes one back that could not be kept beside the photos.
    package func forgetGeometry(version: Int) async throws {
        try await writer?.write { try $0.execute(sql: "DELETE FROM geometry WHERE version = ?", arguments: [version]) }
    }
}
