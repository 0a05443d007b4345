import ArgumentParser
import CaptureModel
import Glibc
import Posix

/// The node agent, and commands for one camera on one board.
@main
struct VolleyNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-node",
        abstract: "Runs one camera of a rig, and keeps its photos until the coordinator has them.",
        discussion: """
            Without a subcommand it is the node agent: volley-node --config FILE.
            Exit status: 0 done, 1 failed, 2 partial capture, 64 usage, 65 bad plan, 69 unavailable, 74 output lost, \
            75 try again, 77 not allowed, 78 configuration, 130 interrupted.
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, CamerasCommand.self, ShootCommand.self, CalibrateCommand.self, DoctorCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() async {
        Heap.returnLargeBlocks()
        // A reader that goes away must not end a bracket halfway.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
