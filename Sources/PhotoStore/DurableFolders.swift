import Posix

/// The folders below a store's root that are known to be durable: each is made sure of once.
///
/// That a folder is there proves nothing: a program that died may have made it, and a power cut takes it away with all
/// that is in it.
struct DurableFolders {
    private let files: any FileSystem
    private var known: Set<String>

    /// Makes the root.
    init(root: String, _ files: any FileSystem) throws(SystemError) {
        self.files = files
        known = [root]
        try files.makeFolders(root)
    }

    /// Makes a folder below the root, and those between.
    mutating func make(_ path: String) throws(SystemError) {
        if known.contains(path) { return }
        let parent = files.parent(of: path)
        try make(parent)
        try files.makeFolder(path)
        try files.syncFolder(parent)
        known.insert(path)
    }

    /// A folder is gone.
    mutating func forget(_ path: String) { known.remove(path) }
}
