import CaptureModel
import Foundation
import Glibc
import Posix
package import ZeroMQ

/// Key pairs as files: `NAME.key` is the secret, 0600; `NAME.pub` is what others put into their allow-list.
package enum KeyFile {
    /// Why a key cannot be used.
    package struct KeyError: Error, Sendable, CustomStringConvertible {
        /// The path, what is wrong with it and, where that is known, what to do.
        package let description: String
        /// Whether the operating system denied it, rather than the file being wrong.
        package var isPermission = false
        /// Whether the operating system gave no answer, so that what the file holds is not known.
        var isFromSystem = false

        init(description: String) {
            self.description = description
        }

        /// - Parameter hint: what to do where there is no such file.
        init(path: String, errno: Int32, hint: String = "") {
            let isRelative = errno == ENOENT && !path.hasPrefix("/")
            let place = isRelative ? " (relative to \(FileManager.default.currentDirectoryPath))" : ""
            description = "\(path): \(String(cString: strerror(errno)))\(place)" + (errno == ENOENT ? hint : "")
            isPermission = errno == EACCES || errno == EPERM
            isFromSystem = errno != ENOENT
        }
    }

    /// Makes a new pair, as two files side by side; never overwrites one.
    package static func generate(at path: String) throws(KeyError) -> CurveKeyPair {
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last, NodeName(name) != nil else {
            throw KeyError(
                description:
                    "'\(path)' does not end in a name: 1 to 64 letters, digits, - and _, which others will see.")
        }
        // Before one half is written that would be in the way of the next try.
        for half in [path + ".key", path + ".pub"] where access(half, F_OK) == 0 {
            throw KeyError(description: "\(half) is there already, and no key is overwritten; choose another name.")
        }
        let pair = CurveKeyPair.generate()
        try write(pair.secretKey, to: path + ".key", mode: 0o600)
        try write(pair.publicKey.text, to: path + ".pub", mode: 0o644)
        return pair
    }

    /// Reads a daemon's key, or makes it at the daemon's first start, in a folder that is there.
    ///
    /// Completes a pair of which only the secret half was written before the power went.
    ///
    /// - Parameter path: of the secret half, which ends in `.key`.
    package static func loadOrGenerate(_ path: String) throws(KeyError) -> CurveKeyPair {
        let stem = String(path.dropLast(".key".count))
        guard access(path, F_OK) == 0 || errno != ENOENT else { return try generate(at: stem) }
        let pair = try load(path)
        if access(stem + ".pub", F_OK) != 0, errno == ENOENT {
            try write(pair.publicKey.text, to: stem + ".pub", mode: 0o644)
        }
        return pair
    }

    /// Reads a secret key; refuses one that others can read, as ssh does.
    ///
    /// - Parameter credentials: the folder in which systemd hands secrets to this service; nil where there is none.
    package static func load(
        _ path: String, credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    ) throws(KeyError) -> CurveKeyPair {
        guard !path.hasSuffix(".pub") else {
            throw KeyError(description: "\(path) is a public key; give the secret one beside it, which ends in .key.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw KeyError(path: path, errno: errno, hint: "; make one with `volley keygen`.")
        }
        guard status.st_mode & othersRights(path, credentials) == 0 else {
            throw KeyError(description: "\(path) can be read by others; it is a secret: chmod 600 \(path)")
        }
        guard let pair = CurveKeyPair(secretKey: try text(of: path)) else {
            throw KeyError(description: "\(path) holds no CURVE secret key (40 characters of Z85).")
        }
        return pair
    }

    /// The rights that nobody else may have on a file with a secret.
    ///
    /// systemd lets a service read its credentials by an access list, which stat(2) shows as rights of the group.
    private static func othersRights(_ path: String, _ credentials: String?) -> mode_t {
        guard let credentials, !credentials.isEmpty else { return 0o077 }
        return PosixFileSystem().parent(of: path) == credentials ? 0o037 : 0o077
    }

    /// Reads a public key.
    package static func loadPublic(_ path: String) throws(KeyError) -> CurvePublicKey {
        guard !path.hasSuffix(".key") else {
            throw KeyError(description: "\(path) is a secret key; give the public one beside it, which ends in .pub.")
        }
        guard let key = CurvePublicKey(try text(of: path, hint: "; put its owner's .pub file there.")) else {
            throw KeyError(description: "\(path) holds no CURVE public key (40 characters of Z85).")
        }
        return key
    }

    /// Writes a public key where there is no file yet.
    static func write(_ key: CurvePublicKey, to path: String) throws(KeyError) {
        try write(key.text, to: path, mode: 0o644)
    }

    /// Writes a file in place of what was there, into a folder that is made where there is none.
    static func replace(_ path: String, with text: String, mode: mode_t) throws(KeyError) {
        let (files, new) = (PosixFileSystem(), path + ".new")
        do throws(SystemError) {
            try files.makeFolders(files.parent(of: path))
            try files.remove(new)
        } catch { throw KeyError(path: path, errno: error.errno) }
        try write(text, to: new, mode: mode)
        do throws(SystemError) { try files.renameDurably(new, to: path) } catch {
            throw KeyError(path: path, errno: error.errno)
        }
    }

    /// Writes a file that is whole or absent, also after a power cut, and replaces none.
    private static func write(_ text: String, to path: String, mode: mode_t) throws(KeyError) {
        let files = PosixFileSystem()
        let temporary = "\(path).\(getpid()).tmp"
        // One may be left of a start that was cut short.
        unlink(temporary)
        defer { unlink(temporary) }
        var isExposed = false
        do throws(SystemError) {
            let file = try OwnedFileDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
            // A public key is for everybody, whatever a service's umask is.
            guard fchmod(file.rawValue, mode) == 0 else { throw .last("fchmod", path) }
            var status = stat()
            guard fstat(file.rawValue, &status) == 0 else { throw .last("fstat", path) }
            isExposed = mode & 0o077 == 0 && status.st_mode & 0o077 != 0
            guard !isExposed else { throw SystemError(call: "fchmod", errno: EPERM, subject: path) }
            let bytes = Array((text + "\n").utf8)
            guard Glibc.write(file.rawValue, bytes, bytes.count) == bytes.count else {
                throw .last("write", path)
            }
            guard fsync(file.rawValue) == 0 else { throw .last("fsync", path) }
            guard try files.renameUnlessTaken(temporary, to: path) else {
                throw SystemError(call: "link", errno: EEXIST, subject: path)
            }
            try files.syncFolder(files.parent(of: path))
        } catch {
            guard !isExposed else {
                throw KeyError(
                    description:
                        "\(path): the disk that this is on keeps no permissions, so that anybody could read the "
                        + "key; keep it on a disk of this machine.")
            }
            guard error.errno != EEXIST else {
                throw KeyError(description: "\(path) is there already, and is not replaced; choose another name.")
            }
            throw KeyError(path: path, errno: error.errno)
        }
    }

    static func text(of path: String, hint: String = "") throws(KeyError) -> String {
        guard let file = fopen(path, "re") else { throw KeyError(path: path, errno: errno, hint: hint) }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = fread(&buffer, 1, buffer.count, file)
        guard ferror(file) == 0 else { throw KeyError(path: path, errno: errno) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
