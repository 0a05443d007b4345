import ArgumentParser
import CaptureModel
import Catalogue
import Documents
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// `volley audit`.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Lists who had what done, and what was refused to whom.",
        discussion: """
            KEY is the start of the public key that was used; --json has all of it, and the request. With \
            --library it reads a catalogue by itself, with or without a coordinator.
            """)

    @OptionGroup var rig: RigOptions
    @Option(parsing: .unconditional, help: "From when on: \(TypedTime.examples). Default: the last day.")
    var since = "24h"
    @Option(help: "At most so many, the newest; up to 1000.") var limit = 100
    @Option(help: "The library whose catalogue is read.") var library: String?
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000, not \(limit).") }
        _ = try Instant.passed(since)
    }

    func run() async throws {
        try await Output.reporting {
            let entries = try await entries()
            if json { return try Output.json(entries.map { AuditDocument($0) }) }
            var table = Table([Sentences.zoned("WHEN"), "WHO", "KEY", "ACT", "SUBJECT", "RESULT", "REMARK"])
            for entry in entries {
                table.add([
                    Sentences.time(entry.at), entry.user.rawValue,
                    // As much as tells keys apart; all of it is in the JSON.
                    entry.key.map { String($0.prefix(6)).printableLine } ?? "", entry.act.printableLine,
                    entry.subject?.printableLine ?? "", entry.result.printableLine, entry.message?.printableLine ?? "",
                ])
            }
            Output.report(table.text)
        }
    }

    private func entries() async throws -> [AuditEntry] {
        if let library {
            return try await openCatalogue(library: library).audit(since: try Instant.passed(since), limit: limit)
        }
        let client = try rig.connect()
        defer { client.close() }
        return try await client.ask(AuditRequest(since: try Instant.passed(since), limit: limit)).entries
    }
}
