import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley nodes admit`.
struct AdmitNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit", abstract: "Lets a board into the rig that asks to join.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The name that the board would like to have, or its words: see `volley nodes pending`.")
    var board: String
    @Option(
        name: .customLong("as"), help: "What the node is to be called; default: what it would like.",
        transform: NodeName.typed)
    var newName: NodeName?

    func run() async throws {
        let reply = try await rig.change(MemberRequest(.admit, board, as: newName))
        let remark = reply.remark.map { " " + $0.printableLine } ?? ""
        Output.words("Node \(reply.node) belongs to the rig; `volley nodes` shows when it is ready.\(remark)")
    }
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
