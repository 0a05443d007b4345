import CaptureModel
import FoundationEssentials
import Posix
import RigProtocol
import ZeroMQ

extension Membership {
    var now: UTCTime { UTCTime(rawValue: Clocks.microsecondsSinceEpoch()) }

    func readInvite(_ id: String) -> Invite? {
        guard let bytes = try? files.read("\(state)/invites/\(id).json") else { return nil }
        return try? JSONDecoder().decode(Invite.self, from: Data(bytes))
    }

    func write(_ invite: Invite, _ id: String) throws(Refusal) {
        let path = "\(state)/invites/\(id).json"
        let text: String
        do { text = String(decoding: try JSONEncoder().encode(invite), as: UTF8.self) } catch {
            preconditionFailure("\(error)")
        }
        try kept { () throws(KeyFile.KeyError) in try KeyFile.replace(path, with: text, mode: 0o600) }
    }

    /// Makes the owner of a key a node.
    func keep(_ key: CurvePublicKey, as name: NodeName) throws(Refusal) {
        let path = "\(nodes.folder)/\(name).pub"
        try kept { () throws(KeyFile.KeyError) in try KeyFile.write(key, to: path) }
        nodes.reread()
    }

    /// Moves a key into another folder, or under another name: in one step, so that it is never under both.
    func move(_ name: NodeName, of list: AllowList, to other: AllowList, as newName: NodeName) throws(Refusal) {
        do throws(SystemError) {
            try files.makeFolders(other.folder)
            try files.renameDurably("\(list.folder)/\(name).pub", to: "\(other.folder)/\(newName).pub")
        } catch {
            throw Self.notKept(error)
        }
        list.reread()
        other.reread()
    }

    func remove(_ name: NodeName, of list: AllowList) throws(Refusal) {
        do throws(SystemError) {
            try files.remove("\(list.folder)/\(name).pub")
            try files.syncFolder(list.folder)
        } catch {
            throw Self.notKept(error)
        }
        list.reread()
    }

    private func kept(_ write: () throws(KeyFile.KeyError) -> Void) throws(Refusal) {
        do throws(KeyFile.KeyError) { try write() } catch { throw Self.notKept(error) }
    }

    private static func notKept(_ error: some CustomStringConvertible) -> Refusal {
        Refusal(.tryAgain, "The change cannot be kept: \(error)")
    }
}
