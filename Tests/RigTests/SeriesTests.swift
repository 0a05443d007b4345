import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A series that the console fires", .rigTimeLimit)
struct SeriesTests {
    private struct Series: Decodable {
        let number, count, reachedCount: Int
        let state: String
        let captures: [UniqueID]
        let remarks: [String]
    }

    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("left", seed: 1)
        try rig.awaitReady(1)
        try rig.enterConsole()
    }

    private func begin(_ requestID: String, every: String, count: Int) throws -> String {
        try rig.ask(
            "series",
            "{\"requestID\": \"\(requestID)\", \"plan\": \"bracket: {burst: 1}\", \"every\": \"\(every)\", \"count\": \(count)}"
        )
    }

    private func decode(_ text: String) throws -> Series {
        try #require(try? JSONDecoder().decode(Series.self, from: Data(text.utf8)), "\(text)")
    }

    private func standing() throws -> Series {
        let all = try JSONDecoder().decode([Series].self, from: Data(try rig.ask("series").utf8))
        return try #require(all.first)
    }

    @Test("goes on where its coordinator was away, and says what was left out")
    func restart() throws {
        let begun = try decode(try begin("a", every: "1s", count: 12))
        #expect(begun.state == "underWay" && begun.count == 12)
        #expect(try decode(try begin("a", every: "1s", count: 12)).number == begun.number, "asked for again, it is one")
        try rig.wait("some of it") { try standing().captures.count >= 2 }
        rig.kill9("coordinator")
        try rig.startCoordinator()
        try rig.wait("its end") { try standing().state == "over" }
        let over = try standing()
        #expect(over.reachedCount == 12 && over.captures.count > 2 && Set(over.captures).count == over.captures.count)
        #expect(over.captures.count == 12 || !over.remarks.isEmpty, "\(over)")
        for id in over.captures {
            try rig.wait("its outcome") { try rig.capture("\(id)").summary.state.isFinal }
        }
        let name = try #require(try rig.capture("\(over.captures[0])").summary.labels["series"])
        let found = try rig.volley("captures", "--label", "series=\(name)", "--json")
        #expect(over.captures.allSatisfy { found.output.contains("\($0)") })
        #expect(rig.terminate("console") == 0)
    }

    @Test("is stopped, and refused before anything is fired")
    func stop() throws {
        for (every, count, words) in [("1", 0, "'count'"), ("soon", 2, "'every'"), ("1ms", 2, "'every'")] {
            let told = try begin("b", every: every, count: count)
            #expect(told.contains(words) && told.contains("400"), "\(told)")
        }
        let unfit = try rig.ask(
            "series", #"{"requestID": "c", "plan": "bracket: {autoExposure: [40]}", "every": "1s", "count": 2}"#)
        #expect(unfit.contains("left") && unfit.contains("400"), "\(unfit)")
        #expect(try rig.ask("series") == "[]")
        let begun = try decode(try begin("d", every: "1s", count: 1000))
        try rig.wait("one of it") { try standing().captures.count >= 1 }
        let stopped = try decode(try rig.ask("series/\(begun.number)/stop", ""))
        #expect(stopped.state == "stopped")
        try rig.wait("what was asked for") { try standing().captures.count == standing().reachedCount }
        let reached = try standing().reachedCount
        // Two more would have been asked for by then.
        Thread.sleep(forTimeInterval: 2.5)
        #expect(try standing().reachedCount == reached && standing().state == "stopped")
        #expect(try rig.page("fire").contains("stopped: \(reached) of 1000 captures fired"))
        #expect(try rig.ask("series/99/stop", "").contains("no such series"))
    }
}
