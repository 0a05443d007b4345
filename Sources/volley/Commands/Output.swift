import ArgumentParser
import Daemon
import Foundation
import RigConfiguration
import RigProtocol
import RigTransport

/// Where a command's words and data go.
enum Output {
    /// Data, for whoever reads on.
    static func data(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Words, for a person.
    static func words(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// One JSON document.
    static func json(_ value: some Encodable, isLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isLine ? [.sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Runs a command's work; what goes wrong becomes a sentence and an exit status.
    static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as OperatorClient.ClientError {
            try fail(error.exitCode, error)
        } catch let error as ConfigurationError {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as BadPlan {
            try fail(ExitStatus.badPlan, error.error)
        }
    }

    private static func fail(_ status: Int32, _ error: any Error) throws {
        words("volley: \(error)")
        throw ExitCode(status)
    }
}

/// A plan that cannot be read.
struct BadPlan: Error {
    let error: ConfigurationError
}

/// Reads a plan file.
func readPlan(_ path: String) throws(BadPlan) -> Plan {
    do throws(ConfigurationError) {
        let file = try ConfigurationFile.read(path)
        return try PlanFile.parse(file.text, name: file.name)
    } catch {
        throw BadPlan(error: error)
    }
}
