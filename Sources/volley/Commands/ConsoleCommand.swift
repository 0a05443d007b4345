import ArgumentParser
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley console`.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Lets browsers into the console that runs on this machine.",
        subcommands: [ConsoleLinkCommand.self])
}

/// `volley console link`.
struct ConsoleLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Makes a link that lets one browser in, once, within an hour.",
        discussion: "For the user who runs the console; for root where a unit runs it.")

    @Option(help: "The port at which the console listens.") var port = 5680

    func run() async throws {
        try await Output.reporting {
            guard let links = ConsoleLinks.find(port: port) else {
                throw OperatorClient.ClientError.refused(
                    Refusal(
                        .unavailable,
                        "No console of yours runs at port \(port) of this machine; where a unit runs it, ask as root."))
            }
            Output.data(try links.make())
        }
    }
}
