import CaptureModel
import Documents
import Foundation
import TestSupport

/// Runs a script in the guest, and holds what it left.
struct GuestRun {
    let share: URL
    let status: Int32
    let output: String

    /// - Parameters:
    ///   - options: more for `deploy/guest run`.
    ///   - arguments: more for the script.
    ///   - seconds: how long it may take.
    init(
        script: String, seconds: Int = Guest.patience, options: [String] = [], arguments: [String] = []
    ) async throws {
        let share = try Guest.share(script: script)
        self.share = share
        let result = try await onThread {
            try TestSupport.run(
                BuiltPrograms.repository.appendingPathComponent("deploy/guest").path,
                ["run", "--share", share.path, "--timeout", "\(seconds)"] + options + ["--", script, "/share/bin"]
                    + arguments)
        }
        status = result.status
        output = result.output + result.errors
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: share.appendingPathComponent(name), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func capture(_ name: String) throws -> CaptureDetail {
        try CaptureDetail(document: Data(contentsOf: share.appendingPathComponent(name)))
    }

    /// What `volley-node shoot` printed.
    func shot(_ name: String) throws -> [ShotDocument] {
        try text(name).split(separator: "\n").map { try JSONDecoder().decode(ShotDocument.self, from: Data($0.utf8)) }
    }
}
