import Foundation
import Posix

/// What a user would run instead: rsync from each node, over ssh or from an rsync daemon, all at once.
struct RsyncPeers {
    enum Kind { case ssh, daemon }

    private let folder: String
    private let nodeCount: Int
    private let servers: [Child]
    private let sshPort = 22_322
    private let daemonPort = 22_323

    init(folder: String, nodeCount: Int, _ photosPerNode: Int, _ photo: [UInt8]) throws {
        self.folder = folder
        self.nodeCount = nodeCount
        for node in 0..<nodeCount {
            let source = "\(folder)/source/node-\(node)"
            try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
            for index in 0..<photosPerNode {
                try Data(photo).write(to: URL(fileURLWithPath: "\(source)/\(index).jpg"))
            }
        }
        for (name, text) in [
            (
                "sshd_config",
                """
                Port \(sshPort)
                ListenAddress 127.0.0.1
                HostKey \(folder)/host
                AuthorizedKeysFile \(folder)/user.pub
                StrictModes no
                PermitRootLogin yes
                PidFile none
                MaxStartups 100

                """
            ),
            (
                "rsyncd.conf",
                """
                port = \(daemonPort)
                address = 127.0.0.1
                use chroot = no
                reverse lookup = no
                [photos]
                path = \(folder)/source

                """
            ),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        for key in ["host", "user"] {
            Child(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(key)"]).wait()
        }
        try? FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
        servers = [
            Child(["/usr/sbin/sshd", "-D", "-f", "\(folder)/sshd_config"]),
            Child(["/usr/bin/rsync", "--daemon", "--no-detach", "--config=\(folder)/rsyncd.conf"]),
        ]
        Thread.sleep(forTimeInterval: 1)
    }

    /// - Returns: the seconds until all have ended.
    func collect(_ kind: Kind) throws -> Double {
        let target = "\(folder)/target"
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let start = Clocks.monotonicNanoseconds()
        let pulls = (0..<nodeCount).map { pull("node-\($0)", kind, target) }
        for pull in pulls { precondition(pull.wait(), "rsync") }
        return Double(Clocks.monotonicNanoseconds() - start) / 1e9
    }

    private func pull(_ name: String, _ kind: Kind, _ target: String) -> Child {
        switch kind {
        case .ssh:
            let shell =
                "ssh -p \(sshPort) -i \(folder)/user -o BatchMode=yes -o StrictHostKeyChecking=no "
                + "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
            return Child(["/usr/bin/rsync", "-a", "-e", shell, "127.0.0.1:\(folder)/source/\(name)", target])
        case .daemon:
            return Child(["/usr/bin/rsync", "-a", "rsync://127.0.0.1:\(daemonPort)/photos/\(name)", target])
        }
    }

    func stop() {
        servers.forEach { $0.end() }
    }
}
