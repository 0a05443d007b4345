import ArgumentParser
import CaptureModel
import Programs
import RigProtocol

/// `volley camera show`.
struct ShowCameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what cameras are set to, read from them, and what they can be set to.",
        discussion:
            "'auto' is what an automatic chooses, 'adjusting' one that has yet to settle, 'kept' what was set by "
            + "hand. In brackets: what the driver calls it.")

    @Argument(help: "The nodes, or patterns of them; default: all.", completion: Completions.nodes) var nodes:
        [String] = []
    @OptionGroup var target: CameraTarget

    func validate() throws { _ = try CameraTarget.patterns(nodes) }

    func run() async throws {
        try await target.ask(.show, nodes) { answers in
            for (index, answer) in answers.enumerated() {
                guard let state = answer.state else { continue }
                if index > 0 { Output.data("") }
                Output.data("\(answer.node): \(state.heading)".printableLine)
                for line in state.complaint { Output.data(line.printableLine) }
                Output.report(state.table.text)
            }
        }
    }
}
