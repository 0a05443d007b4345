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
    /// - Returns: nil where the node has to join.
    package func key() throws(KeyFile.KeyError) -> CurvePublicKey? {
        guard access(keyPath, F_OK) == 0 || errno != ENOENT else { return nil }
        return try KeyFile.loadPublic(keyPath)
    }

    /// Whether the node has not joined with this code, and so is to join anew.
    package func isNew(_ code: JoinCode) -> Bool {
        code.id != (try? KeyFile.text(of: codePath))?.filter { !$0.isWhitespace }
    }

    /// Keeps it, in place of what was there.
    package func keep(_ key: CurvePublicKey, code: JoinCode?) throws(KeyFile.KeyError) {
        // If the power goes in between, the node joins once more with that code.
        try KeyFile.replace(keyPath, with: key.text, mode: 0o644)
        if let code { try KeyFile.replace(codePath, with: code.id, mode: 0o644) }
    }
}
