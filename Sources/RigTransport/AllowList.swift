package import CaptureModel
import Glibc
import Posix
import Synchronization
package import ZeroMQ

/// Who may connect: a folder of public keys, one `NAME.pub` for each; the name is bound to the key.
///
/// A key that is added or taken away counts from the next connection on, without a restart.
package final class AllowList: Sendable {
    private struct State {
        var modified = timespec(tv_sec: -1, tv_nsec: 0)
        var readAt: Int64 = 0
        var names: [CurvePublicKey: NodeName] = [:]
    }

    private let folder: String
    private let state = Mutex(State())

    package init(folder: String) {
        self.folder = folder
    }

    /// The name behind a key; nil for a key that is not allowed.
    package func name(of key: CurvePublicKey) -> NodeName? {
        refreshed().names[key]
    }

    /// Everyone who is allowed, in order.
    package var names: [NodeName] {
        Set(refreshed().names.values).sorted { $0.text < $1.text }
    }

    private func refreshed() -> State {
        var status = stat()
        let isThere = stat(folder, &status) == 0
        return state.withLock { state in
            let now = Clocks.monotonicNanoseconds()
            let modified = isThere ? status.st_mtim : timespec(tv_sec: -1, tv_nsec: 0)
            let isChanged = modified.tv_sec != state.modified.tv_sec || modified.tv_nsec != state.modified.tv_nsec
            // A file whose text was changed in place does not touch its folder.
            if isChanged || now - state.readAt > .seconds(2) {
                state = State(modified: modified, readAt: now, names: isThere ? Self.read(folder) : [:])
            }
            return state
        }
    }

    private static func read(_ folder: String) -> [CurvePublicKey: NodeName] {
        guard let directory = opendir(folder) else { return [:] }
        defer { closedir(directory) }
        var found: [CurvePublicKey: Set<NodeName>] = [:]
        while let entry = readdir(directory) {
            let file = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasSuffix(".pub"), let name = NodeName(file.dropLast(4)),
                let key = try? KeyFile.loadPublic(folder + "/" + file)
            else { continue }
            found[key, default: []].insert(name)
        }
        // A key under two names could speak for either; it speaks for none.
        return found.compactMapValues { $0.count == 1 ? $0.first : nil }
    }
}
