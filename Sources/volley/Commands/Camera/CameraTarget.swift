import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// Whose cameras are meant.
struct CameraTarget: ParsableArguments {
    @OptionGroup var rig: RigOptions
    @Option(
        name: .customLong("group"), help: "The nodes of a group of the rig; may be repeated.",
        completion: Completions.groups)
    var groups: [String] = []
    @Flag(help: "Print one JSON document.") var json = false

    /// - Parameter words: names and patterns, with or without commas.
    static func patterns(_ words: [String]) throws -> [NodePattern] {
        try NodePattern.list(words) { "'\($0)' is no name of a node, nor a pattern such as 'top-*'." }
    }

    /// Checks the nodes that are to be set: somebody may have forgotten them.
    func require(_ words: [String]) throws {
        _ = try Self.patterns(words)
        guard !words.isEmpty || !groups.isEmpty else {
            throw ValidationError("Name the nodes whose cameras are to be set; '*' is all of them.")
        }
    }

    /// Has it done, tells what did not work, and ends with the exit status of that.
    ///
    /// - Parameters:
    ///   - words: the nodes; of neither these nor groups: all.
    ///   - tell: tells of those where it worked.
    func ask(
        _ act: CameraOrder.Act, _ words: [String], settings: CameraSettings? = nil,
        tell: ([CameraReply.Answer]) -> Void
    ) async throws {
        let patterns = try Self.patterns(words)
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let request = CameraRequest(
                nodes: patterns.isEmpty ? nil : patterns, groups: groups.isEmpty ? nil : groups, act: act,
                settings: settings)
            let reply = try await client.ask(request, seconds: 30)
            let done = reply.nodes.filter { $0.error == nil }
            if json {
                try Output.json(reply.nodes.map { CameraStateDocument(node: $0.node, $0.state, error: $0.error) })
            } else {
                tell(done)
            }
            let errors = reply.nodes.compactMap { answer in answer.error.map { (answer.node, $0.message) } }
            for line in FoldedReasons.lines(Dictionary(errors) { first, _ in first }) {
                Output.words("volley: \(line.printableLine)")
            }
            if !errors.isEmpty { throw ExitCode(done.isEmpty ? ExitStatus.failed : ExitStatus.partial) }
        }
    }

    /// Tells what properties are set to now, nodes of one mind in one line.
    static func tell(_ properties: [CameraProperty]) -> ([CameraReply.Answer]) -> Void {
        { answers in
            let said = answers.map { ($0.node, $0.state?.words(of: properties) ?? "done") }
            for line in FoldedReasons.lines(Dictionary(said) { first, _ in first }) { Output.data(line.printableLine) }
        }
    }
}
