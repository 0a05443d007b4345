package import ArgumentParser
package import CaptureModel
import OperatorAccess
import RigProtocol
import RigTransport

/// What a shell may complete, as the rig knows it that is configured or named on the line; nothing where it does not
/// answer at once.
enum Completions {
    /// In seconds; somebody has pressed a key and waits.
    private static let patience = 1.0
    /// Older ones are searched for otherwise.
    private static let mostCaptures = 20

    static let nodes = CompletionKind.custom { words, _, _ in await nodes(words) }

    static func nodes(_ words: [String]) async -> [String] {
        await ask(NodesRequest(), words) { $0.nodes.map(\.name).sorted { $0.precedes($1) }.map(\.rawValue) }
    }

    static let groups = CompletionKind.custom { words, _, _ in
        await ask(NodesRequest(), words) { Set($0.nodes.flatMap { $0.groups ?? [] }).sorted() }
    }

    static let captures = CompletionKind.custom { words, _, _ in
        var filter = CaptureFilter()
        filter.limit = mostCaptures
        return await ask(CapturesRequest(filter: filter), words) { ["last"] + $0.captures.map(\.uniqueID.description) }
    }

    static let sessions = CompletionKind.custom { words, _, _ in
        await ask(SessionsRequest(since: nil, limit: mostCaptures), words) { $0.sessions.compactMap(\.session) }
    }

    static let plans = CompletionKind.file(extensions: ["yaml", "yml"])

    private static func ask<Question: OperatorMessage>(
        _ question: Question, _ words: [String], _ names: (Question.Reply) -> [String]
    ) async -> [String] {
        do {
            let client = try RigOptions.parse(rigOptions(among: words)).connect()
            defer { client.close() }
            return names(try await client.ask(question, seconds: patience)).map(\.printableLine)
        } catch {
            return []
        }
    }

    private static func rigOptions(among words: [String]) -> [String] {
        let known = ["--config", "--coordinator", "--key", "--coordinator-key"]
        return words.indices.dropLast().filter { known.contains(words[$0]) }.flatMap { [words[$0], words[$0 + 1]] }
    }
}

extension NodeName {
    /// The nodes of the rig.
    package static var defaultCompletionKind: CompletionKind { Completions.nodes }
}

extension NodePattern {
    /// The nodes of the rig.
    package static var defaultCompletionKind: CompletionKind { Completions.nodes }
}
