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

    /// How long one may take, in seconds: many at once, and others beside them.
    static let patience = 3000

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
            "volley", "volley-node", "volley-coordinator", "volley-console", "volley-uvc-camera",
            "volleyPackageTests.xctest",
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
        let examples = BuiltPrograms.repository.appendingPathComponent("Tests/Examples/.build/tests/release/examples")
        if mustRun || FileManager.default.fileExists(atPath: examples.path) {
            try FileManager.default.copyItem(
                at: examples.resolvingSymlinksInPath(), to: programs.appendingPathComponent("examples"))
        }
        return share
    }
}

/// A guest is late for nothing by its own clock, and idle for half of its time: several at once keep the processors busy.
/// What takes longest runs beside everything else, the others in two rows.
@Suite
enum InTheGuest {
    @Suite(.serialized)
    enum FirstRow {}

    @Suite(.serialized)
    enum SecondRow {}
}

/// Does what blocks a thread on one of its own: those that all tests share are as many as processors.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}
