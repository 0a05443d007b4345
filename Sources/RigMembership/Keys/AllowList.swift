package import CaptureModel
import Glibc
import Posix
import Synchronization
package import ZeroMQ

/// Who may connect: a folder of public keys, one `NAME.pub` for each; the name is bound to the key.
///
/// Adding or removing a key takes effect without a restart. What cannot be read at the moment, for want of descriptors
/// for example, stays as it was: only a file that is gone from a readable folder takes a key away.
package final class AllowList: Sendable {
    private struct State {
        var modified = timespec(tv_sec: -1, tv_nsec: 0)
        var readAt: Int64 = 0
        var keys: [NodeName: CurvePublicKey] = [:]
        var names: [CurvePublicKey: NodeName] = [:]
        var problem: String?
    }

    /// Where the keys lie.
    package let folder: String
    private let onProblem: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameter onProblem: told, once for each problem, what cannot be read.
    package init(folder: String, onProblem: @escaping @Sendable (String) -> Void = { _ in }) {
        self.folder = folder
        self.onProblem = onProblem
    }

    /// The name that a key belongs to; nil for a key that is not allowed.
    package func name(of key: CurvePublicKey) -> NodeName? { namesByKey[key] }

    /// Everyone who is allowed, by their keys.
    package var namesByKey: [CurvePublicKey: NodeName] { refreshed().names }

    /// Everyone who is allowed, in order of their names.
    package var names: [NodeName] { namesByKey.values.sorted() }

    /// Whose file a key is in, also where it is in several.
    func owner(of key: CurvePublicKey) -> NodeName? {
        refreshed().keys.filter { $0.value == key }.keys.min()
    }

    /// Reads the folder again at the next question: two changes within a tick of the kernel's clock leave the same time.
    func reread() { state.withLock { $0.readAt = .min / 2 } }

    private func refreshed() -> State {
        var status = stat()
        let isThere = stat(folder, &status) == 0
        return state.withLock { state in
            let now = Clocks.monotonicNanoseconds()
            let modified = isThere ? status.st_mtim : timespec(tv_sec: -1, tv_nsec: 0)
            let isChanged = modified.tv_sec != state.modified.tv_sec || modified.tv_nsec != state.modified.tv_nsec
            // Changing a file in place does not touch its folder.
            if isChanged || now - state.readAt > .seconds(2) { read(into: &state, modified, now) }
            return state
        }
    }

    private func read(into state: inout State, _ modified: timespec, _ now: Int64) {
        var found = State(modified: modified, readAt: now)
        do throws(KeyFile.KeyError) {
            for name in try Self.names(in: folder) {
                do throws(KeyFile.KeyError) {
                    found.keys[name] = try KeyFile.loadPublic("\(folder)/\(name).pub")
                } catch {
                    // A file that can be read but holds no key allows nobody.
                    if error.isFromSystem { found.keys[name] = state.keys[name] }
                    found.problem = error.description
                }
            }
        } catch {
            (found.keys, found.problem) = (state.keys, "\(error); the keys last read from it still count.")
        }
        // A key under two names could speak for either; it speaks for none.
        let owners = Dictionary(grouping: found.keys.keys) { found.keys[$0] }
        for case (let key?, let names) in owners where names.count == 1 { found.names[key] = names[0] }
        if let problem = found.problem, problem != state.problem { onProblem(problem) }
        state = found
    }

    private static func names(in folder: String) throws(KeyFile.KeyError) -> [NodeName] {
        guard let directory = opendir(folder) else { throw KeyFile.KeyError(path: folder, errno: errno) }
        defer { closedir(directory) }
        var names: [NodeName] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let file = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if file.hasSuffix(".pub"), let name = NodeName(file.dropLast(4)) { names.append(name) }
        }
        guard errno == 0 else { throw KeyFile.KeyError(path: folder, errno: errno) }
        return names
    }
}
