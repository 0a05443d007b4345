import Glibc
package import ZeroMQ

/// What a node keeps of the rig that it has joined, in a folder of its own.
package struct JoinedRig: Sendable {
    private let keyPath: String
    private let codePath: String

    package init(folder: String) {
        (keyPath, codePath) = (folder + "/coordinator.pub", folder + "/joined-with")
    }

    /// The coordinator's key.
    ///
    /// - Parameter code: one that it did not join with means that it is to join anew.
    /// - Returns: nil where the node has to join.
    package func key(unlessNew code: JoinCode?) throws(KeyFile.KeyError) -> CurvePublicKey? {
        guard access(keyPath, F_OK) == 0 || errno != ENOENT else { return nil }
        if let code, code.id != (try? KeyFile.text(of: codePath))?.filter({ !$0.isWhitespace }) { return nil }
        return try KeyFile.loadPublic(keyPath)
    }

    /// Keeps it, in place of what was there.
    package func keep(_ key: CurvePublicKey, code: JoinCode?) throws(KeyFile.KeyError) {
        // The key last: only then has the node joined.
        if let code { try KeyFile.replace(codePath, with: code.id, mode: 0o644) }
        try KeyFile.replace(keyPath, with: key.text, mode: 0o644)
    }
}
