package import CaptureModel
import FoundationEssentials
package import Posix

/// `geometry/<version>.json`: where the rig's cameras stand, beside the catalogue, which can be rebuilt from there.
extension LibraryFolder {
    private static let geometryFolder = "geometry"

    /// The versions of which there is a file, in order, whole or not.
    package func geometryVersions() throws(SystemError) -> [Int] {
        let folder = "\(root)/\(Self.geometryFolder)"
        guard files.isFolder(folder) else { return [] }
        return try files.names(in: folder).compactMap { name in
            guard name.hasSuffix(".json"), let version = Int(name.dropLast(5)), "\(version).json" == name,
                (1...RigGeometry.mostVersions).contains(version)
            else { return nil }
            return version
        }.sorted()
    }

    /// What a version's file says; nil where it is damaged.
    package func geometry(version: Int) throws(SystemError) -> RigGeometry? {
        let bytes = try files.unlessLost { () throws(SystemError) in try files.read(path(version)) }
        guard let geometry = bytes.flatMap({ try? JSONDecoder().decode(RigGeometry.self, from: Data($0)) }),
            geometry.problem == nil, geometry.version == version
        else { return nil }
        return geometry
    }

    private func path(_ version: Int) -> String { "\(root)/\(Self.geometryFolder)/\(version).json" }

    /// Writes one down, durably.
    package func keep(_ geometry: RigGeometry) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try files.makeFolders("\(root)/\(Self.geometryFolder)")
        try files.writeDurably(try encoder.encode(geometry), to: path(geometry.version))
    }

    /// Takes one back that could not be kept.
    package func forgetGeometry(version: Int) { try? files.remove(path(version)) }
}
