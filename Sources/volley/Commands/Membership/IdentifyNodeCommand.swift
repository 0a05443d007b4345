import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley nodes identify`.
struct IdentifyNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Has the light on a node's board blink, so that somebody finds it.",
        discussion: "It is the board's own light for activity, or the one that `light:` in its configuration names. "
            + "The newest order counts: `--for 1s` ends an earlier one.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The node's name.") var node: NodeName
    @Option(name: .customLong("for"), help: "How long it blinks: 30s, 5m; at most 10m.") var time = "30s"

    func validate() throws { _ = try seconds() }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let seconds = try seconds()
            _ = try await client.ask(IdentifyRequest(node: node, seconds: seconds))
            Output.words("The board of node \(node) was asked to blink for \(Sentences.count(seconds, "second")).")
        }
    }

    private func seconds() throws -> Int {
        let (seconds, rest) = try Interval.parse(time).quotientAndRemainder(dividingBy: .seconds(1))
        guard rest == 0, (1...Int64(Identify.longest)).contains(seconds) else {
            throw ValidationError("A light blinks for 1s to 10m, in whole seconds, not '\(time)'.")
        }
        return Int(seconds)
    }
}
