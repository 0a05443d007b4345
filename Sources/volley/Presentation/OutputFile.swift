import PhotoExport
import Posix

/// A file that a command writes where it was told to.
enum OutputFile {
    /// Writes it whole, or not at all; a file of that name is replaced.
    static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
        let files = PosixFileSystem()
        let folder = files.parent(of: path)
        guard files.isFolder(folder) else {
            throw ExportPlan.Problem(message: "There is no folder \(folder) for \(path).")
        }
        guard !files.isFolder(path) else {
            throw ExportPlan.Problem(message: "\(path) is a folder; name a file.")
        }
        try files.writeDurably(bytes, to: path)
    }
}
