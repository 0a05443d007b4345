import ArgumentParser
import CaptureModel
import Documents
import Programs
import RigProtocol

/// `volley rig versions`.
struct RigVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Lists what was kept of the rig's geometry, the newest last.")

    @OptionGroup var questions: QuestionOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            try await questions.ask { answers in
                let held = try await answers.geometry(GeometryRequest())?.version ?? 0
                var versions: [RigGeometry] = []
                // One that was lost leaves a gap before the one that holds.
                for number in 1... {
                    if let version = try await answers.geometry(GeometryRequest(version: number)) {
                        versions.append(version)
                    } else if number > held {
                        break
                    }
                }
                if versions.isEmpty { _ = try await answers.knownGeometry(nil) }
                if json { return try Output.json(versions.map { RigGeometryDocument($0) }) }
                var table = Table(["VERSION", "HOLDS FROM (UTC)", "CAMERAS", "SCALE", "KEPT BY", "FROM"])
                for version in versions {
                    let captures = version.captures.map(\.description).joined(separator: ", ")
                    table.add([
                        "\(version.version)\(version.version == held ? " (now)" : "")",
                        "\(version.since.day) \(version.since.timeOfDay)", "\(version.cameras.count)",
                        version.isMetric ? "metres" : "none", version.user?.rawValue ?? "",
                        captures.isEmpty ? "a file" : captures,
                    ])
                }
                Output.report(table.text)
            }
        }
    }
}
