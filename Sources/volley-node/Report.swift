import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import Posix
import RigConfiguration
import RigTransport

/// Where a command's words and data go.
enum Report {
    /// One JSON document on a line.
    static func line(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// One JSON document over several lines.
    static func document(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Data, for whoever reads on.
    static func data(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Words, for a person.
    static func words(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Runs a command's work; what goes wrong becomes a sentence and an exit status.
    static func errors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ConfigurationError {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as BadPlan {
            try fail(ExitStatus.badPlan, error.message)
        } catch let error as CaptureSettingsError {
            try fail(ExitStatus.badPlan, error)
        } catch let error as CaptureError {
            try fail(status(of: error), error)
        } catch let error as SystemError where error.call == "flock" {
            try fail(ExitStatus.tryAgain, "\(error.subject): another node has this spool; stop it first")
        } catch let error as SystemError {
            try fail(ExitStatus.notAllowed, error)
        }
    }

    private static func status(of error: CaptureError) -> Int32 {
        switch error.code {
        case .deviceInUse: ExitStatus.tryAgain
        case .deviceNotConnected, .deviceWasDisconnected: ExitStatus.unavailable
        case .unsupportedSettings: ExitStatus.badPlan
        default: ExitStatus.failed
        }
    }

    private static func fail(_ status: Int32, _ error: some CustomStringConvertible) throws {
        words("volley-node: \(error)")
        throw ExitCode(status)
    }
}

/// A plan that cannot be read, or that this camera cannot take.
struct BadPlan: Error {
    let message: String
}
