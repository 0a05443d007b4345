import Foundation
import PhotoExport

/// A file that a command writes where it was told to.
enum OutputFile {
    /// Writes it whole, or not at all; an ordinary file of that name is replaced.
    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw ExportPlan.Problem(message: "\(path) is a folder; name a file.")
        }
        // Of a link it is the link's; a device or a pipe would be replaced, and whoever reads there waits for ever.
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard kind == nil || kind == .typeRegular else {
            throw ExportPlan.Problem(
                message: "\(path) is no ordinary file, but a link, a pipe or a device; name another.")
        }
        let folder = url.deletingLastPathComponent().path
        if let objection = libraryObjection(toFile: path) { throw ExportPlan.Problem(message: objection) }
        guard FileManager.default.fileExists(atPath: folder) else {
            throw ExportPlan.Problem(message: "There is no folder \(folder) for \(path).")
        }
        do {
            try Data(bytes).write(to: url, options: .atomic)
        } catch let error as CocoaError {
            let reason =
                switch error.code {
                case .fileWriteNoPermission: "this user may not write there"
                case .fileWriteOutOfSpace: "its disk is full"
                case .fileWriteVolumeReadOnly: "its disk is read-only"
                case _: "it is no place for files"
                }
            throw ExportPlan.Problem(message: "\(path) cannot be written: \(reason).")
        }
    }
}
