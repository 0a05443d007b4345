package import CaptureModel
import DurableFiles
import FoundationEssentials
package import Posix

/// The contents of a library's folder, for whoever inspects it; see ``Library`` for its layout.
package struct LibraryFolder: Sendable {
    /// The name of a capture's archive among its photos.
    package static let archiveName = "capture.json"
    /// What an archive is called until it is whole.
    package static let unfinishedArchiveName = archiveName + ".part"

    /// The path of the library's folder.
    package let root: String
    let files: any FileSystem

    package init(root: String, files: any FileSystem = PosixFileSystem()) {
        self.root = root
        self.files = files
    }

    /// The identity of the last run of a coordinator; nil if there was none.
    func identity() throws(SystemError) -> RunIdentity? {
        let bytes = try files.unlessLost { () throws(SystemError) in try files.read("\(root)/\(RunIdentity.name)") }
        return bytes.flatMap { try? JSONDecoder().decode(RunIdentity.self, from: Data($0)) }
    }

    /// When the last run of a coordinator began; nil if there was none, or if it had to
    /// leave something as it is.
    package func lastRun() throws(SystemError) -> UTCTime? {
        try identity().flatMap { $0.isWhole == false ? nil : $0.run }
    }

    /// Whether there is a folder of photos at all.
    package var isThere: Bool { files.isFolder(root + "/photos") }

    /// The folders of days, oldest first, relative to the library. Anything else that lies there, such as `lost+found`
    /// or somebody's copy of a day, is not one.
    ///
    /// - Parameter since: the first day wanted; nil for all.
    package func days(since: UTCTime? = nil) throws(SystemError) -> [String] {
        let first = since.map { "\($0.day)" } ?? ""
        return try files.names(in: root + "/photos")
            .filter { $0 >= first && $0.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil }.map { "photos/" + $0 }
    }

    /// The capture folders in a day's folder, relative to the library.
    package func captures(in day: String) throws(SystemError) -> [(id: UniqueID, path: String)] {
        try files.names(in: "\(root)/\(day)").compactMap { name in
            Int64(name).map { (UniqueID(rawValue: $0), "\(day)/\(name)") }
        }
    }

    /// A capture's folder under a day other than its own, relative to the library; nil if there is none.
    package func stray(of id: UniqueID, home: String) throws(SystemError) -> String? {
        for day in try days() {
            let path = "\(day)/\(id)"
            if path != home, try !names(in: path).isEmpty { return path }
        }
        return nil
    }

    /// The names of the files in a folder.
    package func names(in path: String) throws(SystemError) -> [String] { try files.names(in: "\(root)/\(path)") }

    /// Whether a name in a capture's folder is one that Volley gives. Whatever else lies there, such as what a photo
    /// editor puts beside a photo, is somebody else's and none of Volley's business.
    package static func isOwn(_ name: String, of id: UniqueID) -> Bool {
        if name == archiveName || name == unfinishedArchiveName { return true }
        guard let dot = name.lastIndex(of: "."),
            PhotoFormat(pathExtension: name[dot...].dropFirst()) != nil
        else { return false }
        // A node's name may contain underscores; it comes first.
        let words = name[..<dot].split(separator: "_", omittingEmptySubsequences: false)
        return words.count >= 3 && words.last.map { $0.count >= 2 && $0.allSatisfy(\.isWholeNumber) } == true
            && words[words.count - 2] == "\(id)" && NodeName(words.dropLast(2).joined(separator: "_")) != nil
    }

    /// What lies among the photos that is not Volley's, such as what a photo editor puts beside a photo; relative to the
    /// library, in order.
    package func foreignFiles() throws(SystemError) -> [String] {
        var found: [String] = []
        for day in try days() {
            for (id, place) in try captures(in: day) {
                found += try names(in: place).filter { !Self.isOwn($0, of: id) }.sorted().map { "\(place)/\($0)" }
            }
        }
        return found
    }

    /// The size and SHA-256 of a file; nil if there is none, or if its disk has lost it.
    package func digest(of path: String) throws(SystemError) -> (byteCount: Int, sha256: String)? {
        try files.unlessLost { () throws(SystemError) in
            let file = try files.open("\(root)/\(path)", .read)
            var digest = Digest()
            let byteCount = try digest.update(file)
            return (byteCount, digest.finish())
        }
    }

    /// A piece of a file, shorter than `length` if the file ends first.
    package func piece(of path: String, offset: Int, length: Int) throws(SystemError) -> [UInt8] {
        try files.open("\(root)/\(path)", .read).read(offset: offset, length: length)
    }

    /// Makes a file's bytes and name durable.
    package func makeDurable(_ path: String) throws(SystemError) {
        try files.open("\(root)/\(path)", .append).sync()
        try files.syncFolder(files.parent(of: "\(root)/\(path)"))
    }

    /// A capture's archive; nil if there is none, or if its disk has lost it.
    package func archive(in path: String) throws(SystemError) -> [UInt8]? {
        try files.unlessLost { () throws(SystemError) in try files.read("\(root)/\(path)/\(Self.archiveName)") }
    }

    /// Writes a capture's archive beside its photos, durably.
    package func keep(_ archive: some Collection<UInt8>, in path: String) throws(SystemError) {
        try files.makeFolders("\(root)/\(path)")
        try files.writeDurably(archive, to: "\(root)/\(path)/\(Self.archiveName)")
    }

    /// Removes a folder if it is empty.
    package func removeIfEmpty(_ path: String) {
        try? files.removeFolder("\(root)/\(path)")
    }

    private static func quarantined(_ path: String) -> String { "quarantine/" + path.replacing("/", with: "_") }

    /// A file with these bytes, where it belongs or where it was quarantined from there; nil if there is none.
    func find(_ path: String, byteCount: Int, sha256: String) throws(SystemError) -> String? {
        var (place, number) = (path, 0)
        while true {
            let found = try files.byteCount(of: "\(root)/\(place)")
            if found == byteCount, try digest(of: place)?.sha256 == sha256 { return place }
            if found == nil, number > 0 { return nil }
            number += 1
            place = files.numbered(Self.quarantined(path), number)
        }
    }

    /// Moves a file into quarantine, for a person to look at.
    ///
    /// - Returns: where it is now.
    package func quarantine(_ path: String) throws(SystemError) -> String {
        try files.makeFolders(root + "/quarantine")
        let place = try files.freePath("\(root)/\(Self.quarantined(path))")
        try files.renameDurably("\(root)/\(path)", to: place)
        try files.syncFolder(files.parent(of: "\(root)/\(path)"))
        return place
    }
}
