import CaptureModel
import Catalogue
import Glibc
import Posix
import RigProtocol

extension OperatorDesk {
    /// Sends a piece of a photo.
    func take(_ request: PieceRequest, _ caller: Caller) async throws {
        if let problem = request.problem { throw Refusal(.invalid, problem) }
        let name = "photo \(request.photoCount) of \(request.node) in capture \(request.uniqueID)"
        guard let path = try await catalogue.path(of: request.photo) else {
            throw Refusal(.notFound, "There is no \(name) in the library.")
        }
        do {
            let bytes = try await OSThread.run(name: "piece") { [rig] in
                func piece(_ path: String) throws -> [UInt8] {
                    try rig.piece(of: path, offset: request.offset, length: request.length)
                }
                do { return try piece(path) } catch let error as SystemError where error.errno == ENOENT {
                    // It may be on its way back from the trash.
                    guard let bytes = try? piece(LibraryPath.inTrash(path)) else { throw error }
                    return bytes
                }
            }
            rig.reply(PieceReply(offset: request.offset), bytes: bytes, to: caller)
        } catch let error as SystemError {
            throw Refusal(.unreadable, "The file of \(name) cannot be read: \(error)")
        }
    }
}
