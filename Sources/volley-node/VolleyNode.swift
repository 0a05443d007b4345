import ArgumentParser
import CaptureModel
import Glibc
import Posix
import Programs

/// The node agent, and commands for one camera on one board.
@main
struct VolleyNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-node",
        abstract: "Runs one camera of a rig, and keeps its photos until the coordinator has them.",
        discussion: """
            Without a subcommand it is the node agent: volley-node --config FILE.
            \(ExitStatus.help)
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, CamerasCommand.self, CameraCommand.self, ShootCommand.self, CalibrateCommand.self,
            DoctorCommand.self, TruthCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() async {
        Heap.returnLargeBlocks()
        // A reader that goes away must not end a bracket halfway.
        signal(SIGPIPE, SIG_IGN)
        await runAsProgram()
    }
}
