import CaptureModel
import Programs
import RigClock
import RigProtocol

/// The nodes of a rig, a row each, for a person.
struct NodeList {
    let nodes: [NodeSummary]
    /// The most characters on a line; nil for any number.
    var width = Table.terminalWidth

    var text: String {
        var table = Table(["NODE", "STATE", "CAMERA", "FORMAT", "CLOCK", "REMARK"])
        for node in nodes.sorted(by: { $0.name.precedes($1.name) }) {
            let camera = node.capabilities
            let clock = node.clock.map { clock in
                let status = clock.estimate.status == .active ? "" : clock.estimate.status.rawValue + " "
                return "\(status)±\(Sentences.milliseconds(clock.estimate.boundNanoseconds))"
            }
            table.add([
                node.name.rawValue, node.state.rawValue, camera?.cameraID ?? "-",
                camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? "-", clock ?? "-",
                node.problem ?? camera?.limitations.first ?? "",
            ])
        }
        return table.text(width: width)
    }
}
