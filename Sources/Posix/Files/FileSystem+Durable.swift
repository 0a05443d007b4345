/// Files that are either whole or absent, even after a power cut.
extension FileSystem {
    /// Writes a file under a temporary name, syncs it, renames it and syncs the folder. Replaces a file of that name.
    package func writeDurably(_ bytes: some Collection<UInt8>, to path: String) throws(SystemError) {
        let temporary = path + ".part"
        do throws(SystemError) {
            let file = try open(temporary, .create)
            try file.append(bytes)
            Failpoint.fileWritten.pass()
            try file.sync()
            Failpoint.fileSynced.pass()
            try renameDurably(temporary, to: path)
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Renames within one file system and makes the new name durable.
    package func renameDurably(_ source: String, to path: String) throws(SystemError) {
        try rename(source, to: path)
        Failpoint.fileRenamed.pass()
        try syncFolder(parent(of: path))
    }

    /// A path that no file has yet: this one, or this one with a number appended.
    package func freePath(_ path: String) throws(SystemError) -> String {
        var number = 1
        while try byteCount(of: numbered(path, number)) != nil { number += 1 }
        return numbered(path, number)
    }

    /// A path with a number appended; number 1 is the path itself.
    package func numbered(_ path: String, _ number: Int) -> String { number == 1 ? path : "\(path).\(number)" }

    /// Makes a folder and the missing ones above it, each durable in its parent. A folder that exists is synced too: a
    /// program that died may have made it.
    package func makeFolders(_ path: String) throws(SystemError) {
        let parent = parent(of: path)
        if !isFolder(parent), parent != path { try makeFolders(parent) }
        try makeFolder(path)
        try syncFolder(parent)
    }

    /// The whole file.
    package func read(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try open(path, .read)
        return try file.read(offset: 0, length: try file.byteCount())
    }

    /// What was read from a file, or nil if the file is lost. A file that merely cannot be read now, for want of
    /// permission say, must not pass for a lost one: that error is thrown.
    package func unlessLost<Value>(_ read: () throws(SystemError) -> Value) throws(SystemError) -> Value? {
        do throws(SystemError) {
            return try read()
        } catch let error where error.isLoss {
            return nil
        }
    }

    /// The folder that a path is in.
    package func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
