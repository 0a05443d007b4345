import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
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
        let camera: CameraDescription?
        let problem: String?
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let nodes = try await client.ask(NodesRequest()).nodes.sorted { $0.name.precedes($1.name) }
            if json {
                return try Output.json(
                    nodes.map { node in
                        let camera = node.capabilities.map { CameraDescription($0) }
                        return Entry(node: node.name, camera: camera, problem: node.problem)
                    })
            }
            var table = Table(["NODE", "CAMERA", "MODEL", "FORMAT", "REMARK"])
            for node in nodes {
                let camera = node.capabilities
                table.add([
                    node.name.rawValue, camera?.cameraID ?? "-", camera?.modelID ?? "-",
                    camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? "-", node.problem ?? "",
                ])
            }
            Output.report(table.text)
        }
    }
}
