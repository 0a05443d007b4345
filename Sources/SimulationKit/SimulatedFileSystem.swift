import Glibc
package import Posix
import Synchronization

/// A disk in memory that keeps what was synced and loses the rest, wholly or in part; seeded.
///
/// ```
/// program:  append ---> cache ---sync---> platter
///                         |  kill: survives; power cut: any part of it, or nothing
/// ```
///
/// Of each file's unsynced bytes a power cut leaves nothing, everything, a part, or zeros in place of a part; of each
/// folder's unsynced name changes, the first few. A sync that fails has lost the bytes, and the next one does not say
/// so (as on Linux, where fsync forgets an error once it is reported).
package final class SimulatedFileSystem: FileSystem {
    /// What goes wrong.
    package struct Faults: Sendable {
        /// The size of the disk, in bytes.
        package var capacity = 1 << 30
        /// The chance that a sync fails with EIO.
        package var syncFailure = 0.0
        /// Paths that cannot be opened for reading, with the errno.
        package var unreadable: [String: CInt] = [:]

        package init() {}
    }

    final class Inode {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        var reserved = 0
        var hasLostBytes = false
    }

    enum NameChange {
        case set(name: String, Inode)
        case remove(name: String)
        case makeFolder(name: String)
        case removeFolder(name: String)
    }

    struct Folder {
        var files: [String: Inode] = [:]
        var folders: Set<String> = []
    }

    // Inodes are touched only under the lock.
    struct State: @unchecked Sendable {
        var faults: Faults
        var random: SplitMix64
        var folders: [String: Folder] = ["/": Folder()]
        var durable: [String: Folder] = ["/": Folder()]
        var unsynced: [String: [NameChange]] = [:]
        /// How many modifying calls the program survives.
        var callsToDeath: Int?
        var isDead = false
        /// Raised at each start: files that the previous run had open are closed.
        var generation = 0
    }

    let state: Mutex<State>

    package init(seed: UInt64, faults: Faults = Faults()) {
        state = Mutex(State(faults: faults, random: SplitMix64(state: seed)))
    }

    /// What goes wrong from now on.
    package var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// Lets the program die in a modifying call, after `count` more of them; nil for never.
    package func die(afterCalls count: Int?) {
        state.withLock { $0.callsToDeath = count }
    }

    /// Whether the program died in a call; every later call fails without effect.
    package var isDead: Bool { state.withLock { $0.isDead } }

    /// Ends the program on the spot, and lets the next one begin.
    package func restart(afterPowerCut: Bool) {
        state.withLock { state in
            if afterPowerCut { state.cutPower() }
            (state.isDead, state.callsToDeath) = (false, nil)
            state.generation += 1
        }
    }

    /// Empties the disk.
    package func erase() {
        state.withLock { state in
            (state.folders, state.durable, state.unsynced) = (["/": Folder()], ["/": Folder()], [:])
        }
    }

    /// Changes the bytes of a file, as a failing disk does.
    ///
    /// - Returns: whether there was such a file, with bytes in it.
    package func damage(_ path: String) -> Bool {
        state.withLock { state in
            guard let inode = try? state.inode(path), !inode.bytes.isEmpty else { return false }
            let place = Int.random(in: 0..<inode.bytes.count, using: &state.random)
            inode.bytes[place] ^= 0x41
            if place < inode.durable.count { inode.durable[place] = inode.bytes[place] }
            return true
        }
    }

    /// The bytes of a file that would certainly survive a power cut now; nil if there is no such file.
    package func durableBytes(of path: String) -> [UInt8]? {
        state.withLock { state in
            let (folder, name) = SimulatedFileSystem.split(path)
            return state.durable[folder]?.files[name]?.durable
        }
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    // MARK: FileSystem

    /// Opens a file; throws the errno of ``Faults/unreadable`` when such a path is opened for reading.
    package func open(_ path: String, _ mode: FileMode) throws(SystemError) -> any OpenFile {
        try state.withLock { state throws(SystemError) -> SimulatedFile in
            switch mode {
            case .create:
                try state.changes("open", path)
                let inode = (try? state.inode(path)) ?? Inode()
                (inode.bytes, inode.reserved) = ([], 0)
                try state.change(path) { .set(name: $0, inode) }
                return SimulatedFile(self, inode, path, state.generation)
            case .read where state.faults.unreadable[path] != nil:
                throw SystemError(call: "open", errno: state.faults.unreadable[path] ?? EIO, subject: path)
            case .append, .read:
                return SimulatedFile(self, try state.inode(path), path, state.generation)
            }
        }
    }

    /// The size of a file, reserved room included; nil if there is none, or if the program is dead.
    package func byteCount(of path: String) -> Int? {
        state.withLock { try? $0.inode(path).size }
    }

    /// Whether there is a folder, synced or not.
    package func isFolder(_ path: String) -> Bool { state.withLock { $0.folders[path] != nil } }

    /// Makes one folder in the cache; its name lasts once its parent is synced.
    package func makeFolder(_ path: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.changes("mkdir", path)
            if state.folders[path] == nil { try state.change(path) { .makeFolder(name: $0) } }
        }
    }

    /// Writes the changed names of a folder to the platter, in order.
    package func syncFolder(_ path: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.changes("fsync", path)
            for change in state.unsynced.removeValue(forKey: path) ?? [] {
                State.apply(change, in: path, &state.durable)
            }
        }
    }

    /// The names in a folder, sorted; empty if there is no such folder, or if the program is dead.
    package func names(in folder: String) -> [String] {
        state.withLock { state in
            guard !state.isDead, let found = state.folders[folder] else { return [] }
            return (Array(found.files.keys) + found.folders).sorted()
        }
    }

    /// Renames a file in the cache: two changes of names, of which a power cut may keep one.
    package func rename(_ source: String, to path: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.changes("rename", path)
            let inode = try state.inode(source)
            try state.change(path) { .set(name: $0, inode) }
            try state.change(source) { .remove(name: $0) }
        }
    }

    /// Removes a file in the cache, if it exists.
    package func remove(_ path: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.changes("unlink", path)
            if (try? state.inode(path)) != nil { try state.change(path) { .remove(name: $0) } }
        }
    }

    /// Removes an empty folder in the cache, if it exists; throws ENOTEMPTY for one that is not empty.
    package func removeFolder(_ path: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.changes("rmdir", path)
            guard let folder = state.folders[path] else { return }
            guard folder.files.isEmpty, folder.folders.isEmpty else {
                throw SystemError(call: "rmdir", errno: ENOTEMPTY, subject: path)
            }
            try state.change(path) { .removeFolder(name: $0) }
        }
    }

    /// What is left of the capacity, wherever the path is.
    package func freeBytes(at path: String) throws(SystemError) -> Int64 {
        state.withLock { Int64(max(0, $0.faults.capacity - $0.used)) }
    }

    /// Always succeeds: no other program runs on a simulated disk.
    package func lock(_ path: String) throws(SystemError) -> any FileLock { SimulatedLock() }
}

private final class SimulatedLock: FileLock {}

extension SimulatedFileSystem.State {
    /// Counts a modifying call, in which the program may die.
    mutating func changes(_ call: String, _ path: String) throws(SystemError) {
        if let left = callsToDeath {
            callsToDeath = left - 1
            if left <= 0 { isDead = true }
        }
        if isDead { throw SystemError(call: call, errno: EOWNERDEAD, subject: path) }
    }

    func inode(_ path: String) throws(SystemError) -> SimulatedFileSystem.Inode {
        let (folder, name) = SimulatedFileSystem.split(path)
        guard !isDead, let inode = folders[folder]?.files[name] else {
            throw SystemError(call: "open", errno: isDead ? EOWNERDEAD : ENOENT, subject: path)
        }
        return inode
    }

    /// Changes a name in the cache, and records that the platter does not have the change yet.
    mutating func change(
        _ path: String, _ make: (String) -> SimulatedFileSystem.NameChange
    ) throws(SystemError) {
        let (folder, name) = SimulatedFileSystem.split(path)
        guard folders[folder] != nil else { throw SystemError(call: "open", errno: ENOENT, subject: path) }
        let change = make(name)
        Self.apply(change, in: folder, &folders)
        unsynced[folder, default: []].append(change)
    }

    static func apply(
        _ change: SimulatedFileSystem.NameChange, in folder: String,
        _ folders: inout [String: SimulatedFileSystem.Folder]
    ) {
        let below = { (name: String) in folder == "/" ? "/" + name : folder + "/" + name }
        switch change {
        case .set(let name, let inode): folders[folder]?.files[name] = inode
        case .remove(let name): folders[folder]?.files[name] = nil
        case .makeFolder(let name):
            folders[folder]?.folders.insert(name)
            if folders[below(name)] == nil { folders[below(name)] = SimulatedFileSystem.Folder() }
        case .removeFolder(let name):
            folders[folder]?.folders.remove(name)
            folders[below(name)] = nil
        }
    }

    /// The bytes that files take, reserved room included.
    var used: Int {
        folders.values.reduce(0) { $0 + $1.files.values.reduce(0) { $0 + max($1.bytes.count, $1.reserved) } }
    }

    /// Drops the cache: what reached the platter becomes what is there.
    mutating func cutPower() {
        for folder in unsynced.keys.sorted() {
            let changes = unsynced[folder] ?? []
            for change in changes.prefix(Int.random(in: 0...changes.count, using: &random)) {
                Self.apply(change, in: folder, &durable)
            }
        }
        unsynced = [:]
        // A folder whose own name was lost is gone, whatever is in it.
        for path in durable.keys where path != "/" && !isReachable(path) { durable[path] = nil }
        for path in durable.keys.sorted() {
            for name in durable[path]?.files.keys.sorted() ?? [] {
                guard let inode = durable[path]?.files[name] else { continue }
                inode.durable = remainder(of: inode)
                (inode.bytes, inode.hasLostBytes) = (inode.durable, false)
            }
        }
        folders = durable
    }

    private func isReachable(_ path: String) -> Bool {
        let (folder, name) = SimulatedFileSystem.split(path)
        return durable[folder]?.folders.contains(name) == true && (folder == "/" || isReachable(folder))
    }

    /// What a power cut leaves of a file.
    private mutating func remainder(of inode: SimulatedFileSystem.Inode) -> [UInt8] {
        let (kept, cached) = (inode.durable, inode.bytes)
        guard cached != kept, !inode.hasLostBytes else { return kept }
        guard cached.starts(with: kept) else { return Bool.random(using: &random) ? kept : cached }
        let place = Int.random(in: kept.count...cached.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return kept
        case 1: return cached
        case 2: return Array(cached[..<place])
        default: return cached[..<place] + [UInt8](repeating: 0, count: cached.count - place)
        }
    }
}

extension SimulatedFileSystem.Inode {
    var size: Int { max(bytes.count, reserved) }
}

/// A file of a ``SimulatedFileSystem``; unusable once the program has ended.
private final class SimulatedFile: OpenFile, @unchecked Sendable {
    // Invariant: the inode is touched only under the file system's lock.
    private let disk: SimulatedFileSystem
    private let inode: SimulatedFileSystem.Inode
    private let generation: Int
    let path: String

    init(_ disk: SimulatedFileSystem, _ inode: SimulatedFileSystem.Inode, _ path: String, _ generation: Int) {
        self.disk = disk
        self.inode = inode
        self.path = path
        self.generation = generation
    }

    private func withState<Result>(
        _ call: String, _ body: (inout SimulatedFileSystem.State) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try disk.state.withLock { state throws(SystemError) -> Result in
            guard state.generation == generation else {
                throw SystemError(call: call, errno: EOWNERDEAD, subject: path)
            }
            return try body(&state)
        }
    }

    func byteCount() throws(SystemError) -> Int { try withState("fstat") { _ in inode.size } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try withState("write") { state throws(SystemError) in
            // A program that dies here has written part of it.
            let dies = state.callsToDeath == 0 && !state.isDead
            if dies { inode.bytes += bytes.prefix(bytes.count / 2) }
            try state.changes("write", path)
            let free = state.faults.capacity - state.used
            guard bytes.count <= free else {
                inode.bytes += bytes.prefix(max(0, free))
                throw SystemError(call: "write", errno: ENOSPC, subject: path)
            }
            inode.bytes += bytes
        }
    }

    func sync() throws(SystemError) {
        try withState("fdatasync") { state throws(SystemError) in
            try state.changes("fdatasync", path)
            if Double.random(in: 0..<1, using: &state.random) < state.faults.syncFailure {
                inode.hasLostBytes = true
                throw SystemError(call: "fdatasync", errno: EIO, subject: path)
            }
            if !inode.hasLostBytes { inode.durable = inode.bytes }
        }
    }

    func truncate(to byteCount: Int) throws(SystemError) {
        try withState("ftruncate") { state throws(SystemError) in
            try state.changes("ftruncate", path)
            inode.bytes = Array(inode.bytes.prefix(byteCount))
        }
    }

    func reserve(_ byteCount: Int) throws(SystemError) {
        try withState("fallocate") { state throws(SystemError) in
            try state.changes("fallocate", path)
            guard byteCount <= state.faults.capacity - state.used else {
                throw SystemError(call: "fallocate", errno: ENOSPC, subject: path)
            }
            inode.reserved = byteCount
        }
    }

    func read(offset: Int, length: Int) throws(SystemError) -> [UInt8] {
        try withState("pread") { _ in
            Array(inode.bytes.dropFirst(offset).prefix(length))
        }
    }
}
