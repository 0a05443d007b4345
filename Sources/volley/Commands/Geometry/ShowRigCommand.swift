import ArgumentParser
import CaptureModel
import Documents
import Foundation
import PhotoExport
import Posix
import Programs
import RigProtocol

/// `volley rig show`.
struct ShowRigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Says where the rig's cameras stand, as far as is known.")

    @OptionGroup var questions: QuestionOptions
    @Option(help: "This version; default: the one that holds now.") var version: Int?
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            try await questions.ask { answers in
                let geometry = try await answers.knownGeometry(version)
                let capture = try? await answers.capture(geometry.captures.first.map { .digits("\($0)") } ?? .last)
                try GeometryReport(geometry, capture?.nodes.cameraIdentities ?? [:]).write(json: json)
            }
        }
    }
}

/// `volley rig export`.
struct ExportRigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the rig's geometry into a file, for `volley rig import`.")

    @OptionGroup var questions: QuestionOptions
    @Argument(help: "The file, which must not be there yet.", completion: .file()) var file: String
    @Option(help: "This version; default: the one that holds now.") var version: Int?

    func run() async throws {
        try await Output.reporting {
            try await questions.ask { answers in
                let geometry = try await answers.knownGeometry(version)
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let data = try encoder.encode(RigGeometryDocument(geometry)) + Data("\n".utf8)
                guard !FileManager.default.fileExists(atPath: file) else {
                    throw ExportPlan.Problem(message: "\(file) is there already; name a new file.")
                }
                try OutputFile.write(data, to: file)
                let cameras = Sentences.count(geometry.cameras.count, "camera")
                Output.words("Version \(geometry.version), \(cameras): \(file)")
            }
        }
    }
}

/// `volley rig import`.
struct ImportRigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Keeps a rig's geometry from a file: what holds from now on.",
        discussion: """
            The file is as `volley rig export` and `volley-node truth` write it, with cameras by their serial numbers. A \
            file that has none of this rig's cameras is refused.
            """)

    @OptionGroup var questions: QuestionOptions
    @Argument(help: "The file.", completion: .file()) var file: String
    @Flag(help: "Say what would hold, and keep nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let geometry = try read()
            try await questions.ask { answers in
                let names = try await answers.lastCameras()
                let (known, own) = (Set(geometry.cameras.map(\.camera)), Set(names.values))
                let common = known.intersection(own)
                guard !common.isEmpty else {
                    throw ExportPlan.Problem(
                        message: names.isEmpty
                            ? "Fire once before: it is not known yet which cameras the rig has."
                            : "\(file) is of another rig: none of its cameras took part in the last capture.")
                }
                for camera in known.subtracting(own).sorted() {
                    Output.words("Camera \(camera) took no part in the last capture.".printableLine)
                }
                for (node, camera) in names.sorted(by: { $0.key.precedes($1.key) }) where !known.contains(camera) {
                    Output.words("\(file) does not say where the camera of \(node) stands.".printableLine)
                }
                let former = try await answers.geometry(GeometryRequest())
                let kept = dryRun ? geometry : try await answers.keep(geometry)
                try GeometryReport(kept, names).write(json: json)
                if let former, !dryRun {
                    Output.words(
                        "Version \(former.version) held before: `volley rig export FILE --version \(former.version)` and `volley rig import FILE` bring it back."
                    )
                }
            }
        }
    }

    private func read() throws -> RigGeometry {
        guard FileManager.default.fileExists(atPath: file) else {
            throw ExportPlan.Problem(message: "There is no file \(file).")
        }
        let bytes = try PosixFileSystem().read(file)
        let document: RigGeometryDocument
        do { document = try JSONDecoder().decode(RigGeometryDocument.self, from: Data(bytes)) } catch {
            throw ExportPlan.Problem(message: "\(file) is no rig's geometry; `volley rig export` writes one.")
        }
        guard let geometry = document.geometry(since: .now) else {
            throw ExportPlan.Problem(message: "\(file) is no rig's geometry: a list has the wrong number of values.")
        }
        if let problem = geometry.problem { throw ExportPlan.Problem(message: "\(file): \(problem)") }
        return geometry.normalized(scale: geometry.isMetric ? 1 : 1 / geometry.radius)
    }
}
