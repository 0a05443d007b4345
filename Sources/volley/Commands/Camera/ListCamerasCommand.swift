import ArgumentParser
import CaptureModel
import Programs
import RigProtocol
import RigTransport

/// `volley camera list`.
struct ListCamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the cameras of the rig (the default).")

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Entry: Encodable {
        let node: NodeName
        let camera: CameraCapabilities?
        let problem: String?
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let entries = try await client.ask(NodesRequest()).nodes.sorted { $0.name.precedes($1.name) }
                .map { Entry(node: $0.name, camera: $0.capabilities, problem: $0.problem) }
            if json { return try Output.json(entries) }
            var table = Table(["NODE", "CAMERA", "MODEL", "FORMAT", "REMARK"])
            for entry in entries {
                let camera = entry.camera
                table.add([
                    entry.node.rawValue, camera?.cameraID ?? "-", camera?.modelID ?? "-",
                    camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? "-", entry.problem ?? "",
                ])
            }
            Output.data(table.text)
        }
    }
}
