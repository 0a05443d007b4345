import ArgumentParser
import CaptureModel
import Foundation
import OperatorAccess
import Posix
import Programs
import RigProtocol
import RigTransport

/// `volley nodes admit`.
struct AdmitNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit", abstract: "Admits boards that ask to join.",
        discussion: "A pattern admits each board that would like such a name: volley nodes admit 'cam-*'.")

    @OptionGroup var rig: RigOptions
    @Argument(
        help:
            "The names that boards would like to have, patterns of them, or a board's words: see `volley nodes pending`."
    )
    var boards: [String] = []
    @Option(help: "A file with one of these a line; - for standard input.", completion: .file()) var file: String?
    @Option(
        name: .customLong("as"), help: "What the node is to be called; default: what it would like.",
        transform: NodeName.typed)
    var newName: NodeName?

    func validate() throws {
        guard !boards.isEmpty || file != nil else {
            throw ValidationError("Say which board: a name, a pattern such as 'cam-*', or its four words.")
        }
        if newName != nil, boards.count != 1 || file != nil { throw ValidationError("--as is for one board.") }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var failures = 0
            let wanted = try await wanted(client)
            guard !wanted.isEmpty else {
                throw ValidationError("\(file == "-" ? "Standard input" : file ?? "") names no board.")
            }
            if newName != nil, wanted.count > 1 {
                throw ValidationError("\(boards[0]) means \(wanted.count) boards, and --as is for one.")
            }
            for board in wanted {
                do {
                    let reply = try await client.ask(MemberRequest(.admit, board, as: newName))
                    let remark = reply.remark.map { " " + $0.printableLine } ?? ""
                    Output.words(
                        "Node \(reply.node) belongs to the rig; `volley nodes` shows when it is ready.\(remark)")
                } catch OperatorClient.ClientError.refused(let refusal) {
                    // One that cannot be admitted does not keep the others out.
                    guard boards.count > 1 || file != nil || NodePattern.isPattern(boards[0]) else {
                        throw OperatorClient.ClientError.refused(refusal)
                    }
                    Output.words("\(board): \(refusal.message)".printableLine)
                    failures += 1
                }
            }
            if failures > 0 { throw ExitCode(ExitStatus.failed) }
        }
    }

    /// The boards that are meant, each by what the coordinator takes for one.
    private func wanted(_ client: OperatorClient) async throws -> [String] {
        var words = boards
        if let file {
            let text = file == "-" ? readAll() : String(decoding: try PosixFileSystem().read(file), as: UTF8.self)
            words += text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        }
        guard words.contains(where: NodePattern.isPattern) else { return words }
        let pending = try await client.ask(BoardsRequest()).boards.map(\.name)
        return try words.flatMap { word -> [String] in
            guard NodePattern.isPattern(word), let pattern = NodePattern(rawValue: word) else { return [word] }
            let meant = pending.filter(pattern.matches).sorted { $0.precedes($1) }.map(\.rawValue)
            guard !meant.isEmpty else {
                throw OperatorClient.ClientError.refused(
                    Refusal(.notFound, "No board asks to join as \(word); `volley nodes pending` lists those that do."))
            }
            return meant
        }
    }

    private func readAll() -> String {
        var text = ""
        while let line = readLine(strippingNewline: false) { text += line }
        return text
    }
}

extension NodePattern {
    /// Whether a text is more than a name.
    fileprivate static func isPattern(_ text: String) -> Bool { text.contains("*") || text.contains("?") }
}

/// `volley nodes rename`.
struct RenameNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Gives a node another name, once it has delivered what it owes.",
        discussion: "Captures that it took part in keep the name that it had.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The node's name.") var node: NodeName
    @Argument(help: "What it is to be called.", transform: NodeName.typed) var newName: NodeName

    func run() async throws {
        let reply = try await rig.change(MemberRequest(.rename, node.rawValue, as: newName))
        Output.words("Node \(node) is called \(reply.node) from now on.")
    }
}

/// `volley nodes retire`.
struct RetireNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Keeps a node out of new captures; it may deliver what it owes.",
        discussion: "When `volley nodes` says that it owes nothing any more, `volley nodes revoke` ends its membership."
    )

    @OptionGroup var rig: RigOptions
    @Argument(help: "The node's name.") var node: NodeName

    func run() async throws {
        let reply = try await rig.change(MemberRequest(.retire, node.rawValue))
        let owing = reply.owing.map(\.description).joined(separator: ", ")
        let rest =
            if !owing.isEmpty {
                "Captures still count on it: \(owing)."
            } else if reply.keepsCount == 0 {
                "It owes nothing."
            } else {
                "It may still have photos to deliver; `volley nodes` shows when it has not."
            }
        Output.words("Node \(reply.node) takes part in nothing new. \(rest)")
    }
}

/// `volley nodes revoke`.
struct RevokeNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Shuts a node out at once; its key counts no more.",
        discussion: "For a board that was stolen or is gone. What it had not delivered is settled as lost.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The node's name.") var node: NodeName

    func run() async throws {
        let reply = try await rig.change(MemberRequest(.revoke, node.rawValue))
        let owing = reply.owing.map(\.description).joined(separator: ", ")
        Output.words(
            "Node \(reply.node) is shut out."
                + (owing.isEmpty ? "" : " What it owed to \(owing) is settled as lost; `volley show` has the details."))
        for id in reply.unfired ?? [] {
            Output.words(
                "Capture \(id), which is still to be fired, counts on it. Without another board that is admitted as "
                    + "\(reply.node) before then it goes without, or fails if its policy is all.")
        }
    }
}

extension RigOptions {
    /// Has the rig's membership changed.
    fileprivate func change(_ request: MemberRequest) async throws -> MemberReply {
        var reply: MemberReply?
        try await Output.reporting {
            let client = try connect()
            defer { client.close() }
            reply = try await client.ask(request)
        }
        guard let reply else { throw ExitCode(ExitStatus.failed) }
        return reply
    }
}
