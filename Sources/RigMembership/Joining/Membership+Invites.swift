import CaptureModel
import FoundationEssentials
import Posix
import RigProtocol

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
        do throws(KeyFile.KeyError) { try KeyFile.replace(path, with: text, mode: 0o600) } catch {
            throw AllowList.notKept(error)
        }
    }
}
