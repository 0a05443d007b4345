import ArgumentParser
import CaptureModel
import Foundation
import HealthChecks
import Posix
import Programs
import RigConfiguration
import RigMembership
import V4L2Camera
import Video4Linux

/// `volley-node doctor`: what keeps this board from being a good node.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks over this board and its camera, and says what to do.",
        discussion: """
            It changes nothing, but writes a small file into the spool for a moment; the node may run meanwhile. Run it as root, or as the user of the service. The \
            exit status is 1 if anything keeps captures from succeeding. Default configuration: \(Self.usualPath).
            """)

    private static let usualPath = "/etc/volley/node.yaml"

    @OptionGroup var options: CameraOptions
    @Option(help: "HOST[:PORT] of the coordinator; default: volley.local.") var coordinator: String?
    @Option(help: "The folder that keeps photos until they are stored.") var spool: String?
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            var options = options
            if options.node.config == nil, access(Self.usualPath, R_OK) == 0 { options.node.config = Self.usualPath }
            let settings = try options.settings(flags: ["coordinator": coordinator, "spool": spool])
            var findings = [Finding.ok("release", "Volley \(Release.version) on Linux \(Self.kernel).")]
            findings += BoardChecks().findings
            findings.append(BoardChecks.clock(isNeeded: settings.text("clock") == "system"))
            findings.append(BoardChecks().light(settings.text("light")))
            findings += Self.cameras(settings)
            findings += try Self.rig(settings)
            if let spool = settings.text("spool") {
                findings += FolderChecks().findings(of: spool, "spool")
            } else {
                findings.append(
                    .warning(
                        "configuration", "No spool is configured, so it was not checked.",
                        advice: "Give --config FILE, or --spool."))
            }
            if json { try Output.json(findings) } else { Output.data(findings.text) }
            if findings.hasProblem { throw ExitCode(ExitStatus.failed) }
        }
    }

    private static var kernel: String { SystemFiles().line("/proc/sys/kernel/osrelease") ?? "of unknown version" }

    private static func cameras(_ settings: Settings) -> [Finding] {
        let name = settings.text("camera") ?? ""
        if name.hasPrefix("simulated:") { return [.ok("camera", "\(name) is simulated.")] }
        if name.hasPrefix("v4l2:") {
            do throws(DeviceLocator.LocatorError) {
                return camera(try DeviceLocator.open(String(name.dropFirst(5))).path)
            } catch {
                return [.problem("camera", "\(error)", advice: "`volley-node cameras` lists what is plugged in.")]
            }
        }
        let paths = DeviceLocator.captureNodes()
        guard !paths.isEmpty else {
            return [
                .problem(
                    "camera", "No camera is plugged in.",
                    advice: "Look at its cable and power; `dmesg` says whether the kernel saw it.")
            ]
        }
        return paths.flatMap(camera)
    }

    private static func camera(_ path: String) -> [Finding] {
        guard access(path, R_OK | W_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            return [
                .problem(
                    "camera", "\(path) cannot be used: \(reason).",
                    advice: "Run this as root, or add the user to the group 'video'.")
            ]
        }
        do throws(CaptureError) {
            let (camera, _) = try V4L2Camera.describe(path)
            let what = "\(path), \(camera.modelID), delivers \(camera.pixelFormat) \(camera.dimensions)."
            let limits = camera.limitations.map { " It cannot: \($0)" }.joined()
            let node = URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent
            return [.ok("camera", what + limits)] + USBChecks().findings(of: node)
        } catch {
            return [.problem("camera", error.message, advice: "Unplug it and plug it in again; see `dmesg`.")]
        }
    }

    private static func rig(_ settings: Settings) throws -> [Finding] {
        let address = try NodeOptions.coordinator(settings)
        var findings = [
            NetworkChecks.coordinator(
                address.host, port: address.port, isGiven: settings.text("coordinator") != nil)
        ]
        guard settings.text("coordinatorKey") == nil, let spool = settings.text("spool") else { return findings }
        do throws(KeyFile.KeyError) {
            findings.append(
                try JoinedRig(folder: spool).key() == nil
                    ? .warning(
                        "rig", "This board has not joined a rig.",
                        advice: "`volley nodes pending` at the coordinator shows it; `volley nodes admit` lets it in.")
                    : .ok("rig", "This board has joined a rig."))
        } catch {
            findings.append(
                .problem("rig", "\(error)", advice: "Run this as root, or as the user of the service."))
        }
        return findings
    }
}
