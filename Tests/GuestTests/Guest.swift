import Foundation
import TestSupport
import Testing

/// What a guest needs from this machine; deploy/test installs it.
enum Guest {
    static let needed = ["qemu-system-x86_64", "busybox", "cpio", "v4l2-ctl", "systemctl"]

    static var missing: [String] {
        needed.filter { program in
            !["/usr/bin", "/bin", "/usr/sbin"].contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
            }
        }
    }

    /// In CI it must run; elsewhere a machine without the means skips it, and says so.
    static var mustRun: Bool { ProcessInfo.processInfo.environment["CI"] != nil }

    /// A folder that the guest sees, with a script and the programs in it.
    static func share(script: String) throws -> URL {
        let share = FileManager.default.temporaryDirectory.appendingPathComponent("volley-guest-\(UUID())")
        try FileManager.default.createDirectory(at: share, withIntermediateDirectories: true)
        let source = BuiltPrograms.repository.appendingPathComponent("Tests/GuestTests/Scripts/\(script)")
        try FileManager.default.copyItem(at: source, to: share.appendingPathComponent(script))
        for folder in ["systemd", "examples"] {
            try FileManager.default.copyItem(
                at: BuiltPrograms.repository.appendingPathComponent("deploy/\(folder)"),
                to: share.appendingPathComponent(folder))
        }
        // Into the share: the guest has a /tmp of its own, and the repository may lie there.
        let programs = share.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        for name in [
            "volley", "volley-node", "volley-coordinator", "volley-uvc-camera", "volleyPackageTests.xctest",
        ] {
            let built = BuiltPrograms.folder.appendingPathComponent(name)
            let place = programs.appendingPathComponent(name)
            do {
                try FileManager.default.linkItem(at: built, to: place)
            } catch {
                try FileManager.default.copyItem(at: built, to: place)
            }
        }
        // Of another package, which deploy/test builds.
        let examples = BuiltPrograms.repository.appendingPathComponent("Tests/Examples/.build/debug/examples")
        if mustRun || FileManager.default.fileExists(atPath: examples.path) {
            try FileManager.default.copyItem(
                at: examples.resolvingSymlinksInPath(), to: programs.appendingPathComponent("examples"))
        }
        return share
    }
}

/// A guest fills one processor, and is late for nothing by its own clock: two at once take half the time of one after
/// the other. The USB camera's takes as long as all others.
@Suite
enum InTheGuest {
    @Suite(.serialized)
    enum InTurn {}
}
