import Foundation
import TestSupport
import Testing

/// Which cameras: two of them, or those of VOLLEY_UVC_CAMERAS, as in 1-40.
private let cameras = ProcessInfo.processInfo.environment["VOLLEY_UVC_CAMERAS"] ?? "2-3"

extension InTheGuest.SecondRow {
    @Suite(
        "Many cameras on a USB bus (vhci-hcd, in an emulated guest)",
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct CameraMatrixGuestTests {
        @Test("are judged by what their own pictures say")
        func matrix() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "cameras.sh", seconds: 6000, arguments: [cameras])
            defer { try? FileManager.default.removeItem(at: run.share) }
            let log = try run.text("cameras.log")
            let told = log.split(separator: "\n").filter { $0.hasPrefix("camera ") || $0.hasPrefix("matrix: ") }
            print(told.joined(separator: "\n"))
            #expect(run.status == 0, "\(log)")
        }
    }
}
