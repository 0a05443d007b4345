import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigMembership
import RigProtocol
import RigTransport
import ZeroMQ

/// `volley operators`.
struct OperatorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators", abstract: "Lists the people whom the rig admits, and says what they may do.",
        subcommands: [
            ListOperatorsCommand.self, AddOperatorCommand.self, OperatorRoleCommand.self, RemoveOperatorCommand.self,
        ], defaultSubcommand: ListOperatorsCommand.self)
}

/// `volley operators list`.
struct ListOperatorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the people whom the rig admits (the default).")

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let people = try await client.ask(OperatorsRequest()).operators
            if json { return try Output.json(people) }
            var table = Table(["OPERATOR", "ROLE", "KEY"])
            for person in people {
                table.add([person.name.rawValue, person.role.rawValue, person.key.printableLine])
            }
            Output.report(table.text)
        }
    }
}

/// `volley operators add`.
struct AddOperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Admits somebody, by the public key that `volley keygen` made for them.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "What they go by.", transform: NodeName.typed) var name: NodeName
    @Argument(help: "Their .pub file.") var key: String
    @Option(help: "What they may do: watch, operate or administer.") var role: Role = .operate

    func run() async throws {
        try await Output.reporting {
            let key = try KeyFile.loadPublic(key)
            try await rig.change(OperatorChangeRequest(name: name, role: role, key: key.text))
            Output.words("\(name) may \(role.rawValue) from now on.")
        }
    }
}

/// `volley operators role`.
struct OperatorRoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Gives somebody another role, from the next request on.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "Who it is.") var name: NodeName
    @Argument(help: "What they may do: watch, operate or administer.") var role: Role

    func run() async throws {
        try await Output.reporting {
            try await rig.change(OperatorChangeRequest(name: name, role: role))
            Output.words("\(name) may \(role.rawValue) from now on.")
        }
    }
}

/// `volley operators remove`.
struct RemoveOperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Shuts somebody out at once; what they fired goes on.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "Who it is.") var name: NodeName

    func run() async throws {
        try await Output.reporting {
            try await rig.change(OperatorChangeRequest(name: name, role: nil))
            Output.words("\(name) is shut out.")
        }
    }
}

extension Role: ExpressibleByArgument {}

extension RigOptions {
    fileprivate func change(_ request: OperatorChangeRequest) async throws {
        let client = try connect()
        defer { client.close() }
        _ = try await client.ask(request)
    }
}
