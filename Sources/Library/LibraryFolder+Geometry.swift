package import CaptureModel
import FoundationEssentials
package import Posix

/// `geometry/<version>.json`: where the rig's cameras stand, beside the catalogue, which can be rebuilt from there.
extension LibraryFolder {
    private static let geometryFolder = "geometry"

    /// The versions that are there, in order; a file that is not whole is none.
    package func geometries() throws(SystemError) -> [RigGeometry] {
        let folder = "\(root)/\(Self.geometryFolder)"
        guard files.isFolder(folder) else { return [] }
        var found: [RigGeometry] = []
        for name in try files.names(in: folder) where name.hasSuffix(".json") {
            let bytes = try files.unlessLost { () throws(SystemError) in try files.read("\(folder)/\(name)") }
            guard let geometry = bytes.flatMap({ try? JSONDecoder().decode(RigGeometry.self, from: Data($0)) }),
                geometry.problem == nil, name == "\(geometry.version).json"
            else { continue }
            found.append(geometry)
        }
        return found.sorted { $0.version < $1.version }
    }

    /// Writes one down, durably.
    package func keep(_ geometry: RigGeometry) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try files.makeFolders("\(root)/\(Self.geometryFolder)")
        try files.writeDurably(
            try encoder.encode(geometry), to: "\(root)/\(Self.geometryFolder)/\(geometry.version).json")
    }
}
