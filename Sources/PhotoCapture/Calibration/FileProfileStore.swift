public import CaptureModel
import FoundationEssentials
import Glibc
package import Posix

/// Keeps camera profiles as JSON files in a folder, one for each model and pixel format; programs may share it.
public struct FileProfileStore: ProfileStore {
    private let folder: String
    private let files = PosixFileSystem()

    /// - Parameter folder: its path; the folder is made when there is something to keep.
    public init(folder: String) {
        self.folder = folder
    }

    /// The file of a camera's profile.
    package func path(model: String, pixelFormat: String) -> String {
        let name = "\(model)-\(pixelFormat)".map { character in
            character.isASCII && (character.isLetter || character.isNumber || "-.+".contains(character))
                ? character : "_"
        }
        return "\(folder)/\(String(name)).json"
    }

    /// Reads a camera's profile; nil for a file that is missing or damaged: the camera is learned anew.
    public func profile(of camera: CameraCapabilities) -> CameraProfile? {
        let path = path(model: camera.modelID, pixelFormat: camera.pixelFormat)
        guard let bytes = try? files.read(path) else { return nil }
        let profile = try? JSONDecoder().decode(CameraProfile.self, from: Data(bytes))
        return profile.flatMap { $0.isValid ? $0 : nil }
    }

    /// Makes sure that there is a folder to keep profiles in, before anything is learned.
    ///
    /// - Throws: ``SystemError`` with the refused call.
    package func checkFolder() throws(SystemError) {
        try files.makeFolders(folder)
        guard access(folder, W_OK) == 0 else { throw .last("access", folder) }
    }

    /// Rewrites the file, keeping what it says about other cameras of the model: nodes of a board may share the folder.
    ///
    /// - Throws: which call was refused, and for which path.
    public func keep(_ profile: CameraProfile) throws {
        let path = path(model: profile.modelID, pixelFormat: profile.pixelFormat)
        try files.makeFolders(folder)
        // Waits while another node writes.
        let lock = try files.waitForLock(folder)
        defer { withExtendedLifetime(lock) {} }
        var merged = profile
        let known = (try? files.read(path)).flatMap { try? JSONDecoder().decode(CameraProfile.self, from: Data($0)) }
        if let others = known?.startOffsets {
            merged.startOffsets = others.merging(profile.startOffsets ?? [:]) { $1 }
        }
        // An earlier lamp says nothing about a camera whose offset is new.
        var lamps = known?.lamps ?? [:]
        for camera in (profile.startOffsets ?? [:]).keys { lamps[camera] = profile.lamps?[camera] }
        merged.lamps = lamps.isEmpty ? nil : lamps
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try files.writeDurably(Array(try encoder.encode(merged)) + [0x0A], to: path)
    }
}
