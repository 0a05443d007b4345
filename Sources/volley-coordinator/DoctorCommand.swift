import ArgumentParser
import CaptureModel
import Foundation
import HealthChecks
import Posix
import Programs
import RigConfiguration
import RigMembership

/// `volley-coordinator doctor`: what keeps this machine from being a good coordinator.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks over this machine, and says what to do.",
        discussion: """
            It changes nothing, but writes a small file into the library for a moment; the coordinator may run meanwhile. Run it as root, or as the user of the service. \
            The exit status is 1 if anything keeps captures from succeeding. Default configuration: \(CoordinatorOptions.usualPath).
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await CoordinatorOptions.reporting {
            let findings = try Self.findings(try places.settings())
            if json { try Output.json(findings) } else { Output.data(findings.text) }
            if findings.hasProblem { throw ExitCode(ExitStatus.failed) }
        }
    }

    private static func findings(_ settings: Settings) throws -> [Finding] {
        let kernel = SystemFiles().line("/proc/sys/kernel/osrelease") ?? "of unknown version"
        var findings = [Finding.ok("release", "Volley \(Release.version) on Linux \(kernel).")]
        findings += BoardChecks().findings
        findings.append(BoardChecks.clock(isNeeded: true))
        let port = try settings.integer("port", in: 0...65_530) ?? Address.defaultPort
        let host = try settings.value("listen", wanted: RunCommand.listenWanted) { Address.host($0) } ?? "127.0.0.1"
        findings.append(NetworkChecks.listening(at: host))
        if port > 0 {
            findings.append(
                NetworkChecks.coordinator(
                    host == "*" ? "127.0.0.1" : host == "[::]" ? "[::1]" : host, port: port, isGiven: true))
        }
        if settings.text("library") == nil || settings.text("state") == nil {
            findings.append(
                .warning(
                    "configuration", "Library, state or both are not configured, so they were not checked.",
                    advice: "Give --config FILE, or --library and --state."))
        }
        if let library = settings.text("library") { findings += FolderChecks().findings(of: library, "library") }
        if let state = settings.text("state"), settings.text("nodes") == nil, settings.text("operators") == nil {
            findings += people(state)
        }
        return findings
    }

    private static func people(_ state: String) -> [Finding] {
        guard access(state, R_OK | X_OK) == 0 else {
            return [
                .problem(
                    "rig", "\(state) cannot be read: \(String(cString: strerror(errno))).",
                    advice: "Run this as root, or as the user of the service; it is made at the first start.")
            ]
        }
        func count(_ folder: String) -> Int { AllowList(folder: "\(state)/\(folder)").names.count }
        let (nodes, administrators) = (count("nodes"), count("administrators"))
        let people = administrators + count("operators") + count("watchers")
        let words = "To this rig belong \(nodes == 1 ? "1 node" : "\(nodes) nodes"); people: \(people)."
        guard administrators > 0 else {
            return [
                .warning(
                    "rig", words + " Nobody may administer it.",
                    advice: "Put a public key (`volley keygen`) into \(state)/administrators/NAME.pub.")
            ]
        }
        return [.ok("rig", words)]
    }
}
