import Foundation
import Posix
import TestSupport
import Testing

struct ShellCommandTests {
    /// Longer than a pipe holds.
    private let input = Array(String(repeating: "0123456789", count: 50_000).utf8)

    @Test("A command reads what it is given, all of it or nothing, and its exit status is told")
    func reading() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/copy"
        let copy = "cat >\(ShellCommand.quoted(path)); exit 3"
        #expect(try ShellCommand.run(copy, input: input, limit: 60_000_000_000) == 3)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == input)
        #expect(try ShellCommand.run("exit 0", input: input, limit: 60_000_000_000) == 0)
        #expect(try ShellCommand.run("kill -TERM $$", input: [], limit: 60_000_000_000) == 128 + 15)
    }

    @Test("What takes too long is ended with all that it has started")
    func ending() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/id"
        let command = "trap '' TERM; sleep 600 & echo $! >\(ShellCommand.quoted(path)); wait"
        #expect(try ShellCommand.run(command, input: [], limit: 1_000_000_000) == nil)
        let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let id = try #require(pid_t(text))
        // A process dies once it gets a processor again.
        let deadline = Date(timeIntervalSinceNow: 60)
        while isRunning(id), Date() < deadline { usleep(20_000) }
        #expect(!isRunning(id))
    }

    /// False where it is gone, or its new parent has yet to notice.
    private func isRunning(_ id: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8))?.split(separator: " ")
        return state.map { $0[2] != "Z" } ?? false
    }
}
