import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A rig's alarms", .rigTimeLimit)
struct AlarmTests {
    private struct Alarm: Decodable {
        let number: Int64
        let count: Int
        let cause, words: String
        let node, until: String?
        let isSeen: Bool
    }

    private let rig: LocalRig

    init() throws { rig = try LocalRig() }

    private func alarms() throws -> [Alarm] {
        try JSONDecoder().decode([Alarm].self, from: Data(try rig.ask("alarms").utf8))
    }

    private func see(_ alarms: [Alarm]) throws -> String {
        let numbers = alarms.map { "\($0.number)" }.joined(separator: ",")
        return try rig.ask("alarms/seen", "{\"numbers\": [\(numbers)]}")
    }

    @Test("stay until they are seen, over restarts, and tell what `verify` found")
    func untilSeen() throws {
        try rig.startCoordinator()
        for (index, name) in ["left", "right"].enumerated() { try rig.startNode(name, seed: index + 1) }
        try rig.awaitReady(2)
        let fired = try rig.volley("fire", "--auto", "0", "--format", "jpeg", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        #expect(try rig.volley("verify", rig.library).status == 0)
        try rig.enterConsole()
        #expect(try alarms().isEmpty)

        // A node that goes away is one, which outlives the console, and the node's return.
        _ = rig.terminate("right")
        try rig.wait("an alarm") { try !alarms().isEmpty }
        #expect(try alarms().map(\.cause) == ["nodeNotReady"] && alarms().map(\.node) == ["right"])
        #expect(rig.terminate("console") == 0)
        try rig.enterConsole()
        let kept = try alarms()
        #expect(kept.map(\.cause) == ["nodeNotReady"] && kept.map(\.isSeen) == [false])
        #expect(try rig.page("alarms").contains("right is unreachable"))
        let events = try run(
            "/usr/bin/curl", ["-sN", "-m", "2", "-b", rig.file("jar"), "\(rig.consoleOrigin)/api/v1/events"])
        #expect(
            events.output.contains("event: alarms\ndata: {\"unseenCount\":1,\"newest\":\(kept[0].number)}\n"),
            "\(events)")
        try rig.startNode("right", seed: 2)
        try rig.awaitReady(2)
        try rig.wait("it to pass") { try alarms().first?.until != nil }
        #expect(try see(kept) == #"{"seenCount":1}"# && alarms().isEmpty)

        // What `verify` finds is one as well.
        let path = try #require(try rig.volley("photos").output.split(separator: "\n").first.map(String.init))
        let photo = URL(fileURLWithPath: path)
        let bytes = try Data(contentsOf: photo)
        try Data(bytes.dropLast()).write(to: photo)
        #expect(try rig.volley("verify", rig.library).status == 1)
        try rig.wait("an alarm") { try alarms().map(\.cause) == ["libraryDamaged"] }
        let status = try rig.volley("status")
        #expect(status.status == 1 && status.output.contains("`volley verify` found 1 problem"), "\(status)")
        #expect(try rig.page("nodes").contains("1 problem."))
        // One that lasts is seen, and goes when it passes.
        #expect(try see(try alarms()) == #"{"seenCount":1}"# && alarms().map(\.isSeen) == [true])
        try bytes.write(to: photo)
        #expect(try rig.volley("verify", rig.library).status == 0)
        try rig.wait("it to pass") { try alarms().isEmpty }
        #expect(try rig.volley("status").output.contains("2 of 2 photos, all is well"))

        // That the coordinator is away is said while it is.
        _ = rig.terminate("coordinator")
        try rig.wait("an alarm") { try alarms().map(\.cause) == ["coordinatorAway"] }
        #expect(try rig.page("alarms").contains("The coordinator does not answer the console."))
        #expect(rig.terminate("console") == 0)

        // A check that comes to no end takes back what the one before it said.
        func record() throws -> String { try String(contentsOfFile: rig.library + "/verified.json", encoding: .utf8) }
        #expect(try !record().contains("broken off"))
        try Data(repeating: 0x55, count: 65_536).write(to: URL(fileURLWithPath: rig.library + "/catalogue.sqlite"))
        #expect(try rig.volley("verify", rig.library).status != 0)
        #expect(try record().contains("The check was broken off: "))
    }
}
