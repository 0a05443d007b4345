import CaptureModel
import Glibc
import Posix
import RigProtocol
import ZeroMQ

/// What is changed is durable, and counts, when a call returns.
extension AllowList {
    /// Admits the owner of a key under a name that nobody has.
    func add(_ key: CurvePublicKey, as name: NodeName) throws(Refusal) {
        do throws(SystemError) { try PosixFileSystem().makeFolders(folder) } catch { throw Self.notKept(error) }
        do throws(KeyFile.KeyError) { try KeyFile.write(key, to: path(name)) } catch { throw Self.notKept(error) }
        reread()
    }

    /// Moves a key into another list, or under another name: in one step, so that it is never under both.
    func move(_ name: NodeName, to other: AllowList, as newName: NodeName) throws(Refusal) {
        let files = PosixFileSystem()
        guard !other.hasFile(newName) else { throw Self.notKept("there is \(other.path(newName)) already") }
        do throws(SystemError) {
            try files.makeFolders(other.folder)
            try files.renameDurably(path(name), to: other.path(newName))
            try files.syncFolder(folder)
        } catch {
            throw Self.notKept(error)
        }
        reread()
        other.reread()
    }

    /// Takes a key away.
    func remove(_ name: NodeName) throws(Refusal) {
        let files = PosixFileSystem()
        do throws(SystemError) {
            try files.remove(path(name))
            try files.syncFolder(folder)
        } catch {
            throw Self.notKept(error)
        }
        reread()
    }

    /// Whether a name has a file, whatever is in it.
    func hasFile(_ name: NodeName) -> Bool { access(path(name), F_OK) == 0 || errno != ENOENT }

    private func path(_ name: NodeName) -> String { "\(folder)/\(name).pub" }

    static func notKept(_ error: some CustomStringConvertible) -> Refusal {
        Refusal(.tryAgain, "The change cannot be kept: \(error)")
    }
}
