import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley nodes pending`.
struct PendingNodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending", abstract: "Lists the boards that ask to join, with the words that each one shows.",
        discussion: "A board shows its words in its log and in `systemctl status volley-node`. If they are the same "
            + "here, nobody is in between.")

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let boards = try await client.ask(BoardsRequest()).boards
            if json { return try Output.json(boards) }
            var table = Table(["BOARD", "WORDS", "FROM", "FOR", "REMARK"])
            for board in boards {
                table.add([
                    board.name.rawValue, board.words.printableLine, board.address.printableLine, age(board.seconds),
                    board.remark?.printableLine ?? "",
                ])
            }
            Output.report(table.text)
            if boards.isEmpty { Output.words("No board asks to join.") }
        }
    }

    private func age(_ seconds: Int) -> String {
        seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}
