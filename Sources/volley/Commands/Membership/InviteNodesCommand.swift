import ArgumentParser
import CaptureModel
import OperatorAccess
import Posix
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// `volley nodes invite`.
struct InviteNodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Makes a join code, with which boards admit themselves.",
        discussion: "Write it onto their cards as `join: CODE`. Whoever has it can add a board while it counts.")

    @OptionGroup var rig: RigOptions
    @Option(help: "How many boards it is for.") var count = 1
    @Option(name: .customLong("for"), help: "How long it counts: 30m, 2h, 3d; at most 30 days.") var time = "2h"
    @Option(help: "What the boards are called: top-## for top-01, top-02; default: what each would like.")
    var names: String?

    func validate() throws { _ = try Validity.seconds(time) }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(
                InviteRequest(count: count, seconds: try Validity.seconds(time), names: names))
            Output.data(reply.code.printableLine)
            if let remark = reply.remark { Output.words(remark.printableLine) }
            Output.words("It is for \(Sentences.count(count, "board")), until \(Sentences.zonedTime(reply.until)).")
        }
    }
}

/// `volley nodes card`.
struct NodeCardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Prints the configuration of one new board, with a join code of its own.",
        discussion: "Put it onto the boot partition of the board's card as volley-node.yaml: "
            + "`volley nodes card --name top-03 > /media/you/bootfs/volley-node.yaml`.")

    @OptionGroup var rig: RigOptions
    @Option(help: "What the node is called.", transform: NodeName.typed) var name: NodeName
    @Option(name: .customLong("for"), help: "How long the join code counts: 30m, 2h, 3d; at most 30 days.")
    var time = "7d"
    @Option(
        help: "HOST[:PORT] at which boards reach the coordinator. Default: as this command does, or this host's name.")
    var address: String?

    func validate() throws {
        _ = try Validity.seconds(time)
        if let address, Address(address, defaultPort: Address.defaultPort) == nil {
            throw ValidationError("--address must be HOST or HOST:PORT, not '\(address)'.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let address =
                try address.flatMap { Address($0, defaultPort: Address.defaultPort) } ?? rig.addressForBoards()
            let place = address.port == Address.defaultPort ? address.host : "\(address)"
            let reply = try await client.ask(
                InviteRequest(count: 1, seconds: try Validity.seconds(time), names: name.rawValue))
            if let remark = reply.remark { Output.words(remark.printableLine) }
            Output.data(
                """
                # For the board of \(name). The join code is a secret until the board has used it, and counts until
                # \(Sentences.zonedTime(reply.until)).
                coordinator: \(place.hasPrefix("[") ? "\"\(place)\"" : place)
                join: \(reply.code.printableLine)
                """)
        }
    }
}

/// Lengths of time that a join code counts.
private enum Validity {
    static func seconds(_ text: String) throws -> Int {
        for (unit, seconds) in [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)] where text.hasSuffix(unit) {
            if let count = Int(text.dropLast()), (1...30 * 86_400 / seconds).contains(count) { return count * seconds }
        }
        throw ValidationError("A join code counts for 30m, 2h or 3d, at most 30 days, not '\(text)'.")
    }
}

extension RigOptions {
    /// Where boards find the coordinator that this command talks to.
    fileprivate func addressForBoards() throws -> Address {
        let operators = try address()
        let isHere = ["127.0.0.1", "[::1]", "localhost"].contains(operators.host)
        let name = HostName.current
        // Without a domain, boards find it by multicast DNS.
        let ours = name.contains(".") ? name : name + ".local"
        return Address(host: isHere ? ours : operators.host, port: operators.port - 1)
    }
}
