package import Posix

/// The folders below a store's root that are known to be durable; each is synced once.
///
/// That a folder exists proves nothing: a program that died may have made it, and a power cut would take it away with
/// everything in it.
package struct DurableFolders {
    private let files: any FileSystem
    private var known: Set<String>

    /// Makes the root.
    package init(root: String, _ files: any FileSystem) throws(SystemError) {
        self.files = files
        known = [root]
        try files.makeFolders(root)
    }

    /// Makes a folder below the root, and those in between.
    package mutating func make(_ path: String) throws(SystemError) {
        if known.contains(path) { return }
        let parent = files.parent(of: path)
        try make(parent)
        try files.makeFolder(path)
        try files.syncFolder(parent)
        known.insert(path)
    }

    /// Notes that a folder is gone.
    package mutating func forget(_ path: String) { known.remove(path) }
}
