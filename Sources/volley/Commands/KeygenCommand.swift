import ArgumentParser
import Programs
import RigMembership
import ZeroMQ

/// `volley keygen`.
struct KeygenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen", abstract: "Makes a CURVE key pair: PATH.key, the secret, and PATH.pub.",
        discussion: """
            An administrator lets its owner in: `volley operators add NAME NAME.pub`. The first administrator's NAME.pub \
            goes into the folder `administrators` of the coordinator's state, by hand.
            """)

    @Argument(help: "The path without an extension; its last part is the name.") var path: String

    func run() async throws {
        try await Output.reporting {
            let pair = try KeyFile.generate(at: path)
            Output.words("Made \(path).key, which must stay secret, and \(path).pub.")
            Output.data("\(pair.publicKey)")
        }
    }
}
