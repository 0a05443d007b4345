import CaptureModel
import Documents
import Foundation
import GRDB
import TestSupport
import Testing

private let burst = "name: burst\nbracket: {burst: 3}\n"

@Suite("An operator", .rigTimeLimit)
struct OperatorTests {
    @Test("fires, asks and watches with a client that is not ours")
    func pythonWatcher() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let script = try LocalRig.script("zmq.SUB")
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        watcher.arguments = [
            try rig.write("watch.py", script), "127.0.0.1", "\(rig.eventsPort)", rig.file("operator.key"),
            rig.file("coordinator.pub"),
        ]
        let seen = rig.file("seen.jsonl")
        _ = FileManager.default.createFile(atPath: seen, contents: nil)
        watcher.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: seen))
        try watcher.run()
        defer {
            // Children of a task's thread inherit its blocked signals; only this one gets through.
            kill(watcher.processIdentifier, SIGKILL)
            watcher.waitUntilExit()
        }
        let plan = try rig.write("burst.yaml", burst)
        func kinds() throws -> [String] {
            try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n").compactMap { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return (object?["event"] as? [String: Any])?["kind"] as? String
            }
        }
        // A subscriber hears nothing from before it was connected: fire until it hears a capture from the start.
        try rig.wait("the watcher to hear a whole capture") {
            let fired = try rig.volley("fire", plan, "--wait")
            #expect(fired.status == 0, "\(fired.errors)")
            return try kinds().contains("willBeginCapture")
        }
        try rig.wait("the last event") { try kinds().last == "didFinishCapture" }
        let last = try kinds().suffix(11)
        #expect(last.first == "willBeginCapture" && last.filter { $0 == "didFinishProcessingPhoto" }.count == 3)
    }

    @Test("finds captures again by what they were called, with and without a coordinator")
    func questions() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("burst.yaml", burst)
        let fired = try rig.volley(
            "fire", plan, "--wait", "--session", "monday", "--label", "subject=anna")
        #expect(fired.status == 0, "\(fired.errors)")
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        for filter in [
            ["--session", "monday"], ["--label", "subject=anna"], ["--node", "north"], ["--state", "complete"],
        ] {
            #expect(try rig.volley(["captures"] + filter).output.contains(id))
        }
        for filter in [["--session", "tuesday"], ["--node", "south"], ["--until", "2026-01-01"]] {
            #expect(try !rig.volley(["captures"] + filter).output.contains(id))
        }
        let shown = try rig.volley("show", id, "--events").output
        #expect(shown.contains("didFinishCapture") && shown.contains("3 of 3 photos"))
        #expect(shown.contains("fired by operator"))
        let part = try #require(try rig.capture(id).nodes.first?.camera)
        #expect(part.cameraID == "simulated:1" && !part.pixelFormat.isEmpty && part.software == Release.version)
        #expect(rig.terminate("coordinator") == 0, "a graceful stop")
        #expect(try rig.volley("captures", "--library", rig.library).output.contains(id))
        #expect(try rig.volley("show", "--library", rig.library, id, "--events").output == shown)
        #expect(try rig.volley("captures").status == 69)
    }

    @Test("is told what is wrong, and nothing is fired")
    func badInput() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.startNode("south", seed: 2)
        try rig.awaitReady(2)
        func expect(_ plan: String, _ status: Int32, _ words: [String], line: Int = #line) throws {
            let result = try rig.volley("fire", rig.write("plan.yaml", plan), "--wait")
            #expect(result.status == status, "line \(line): \(result.errors)")
            for word in words { #expect(result.errors.contains(word), "line \(line): \(result.errors)") }
            #expect(result.output.isEmpty)
        }
        try expect("bracket: {burst: 3}\ncolour: red\n", 65, ["plan.yaml:2:1", "'colour'"])
        try expect("bracket: {burst: 0}\n", 65, ["empty"])
        try expect("bracket: {burst: 1, autoExposure: [0]}\n", 65, ["autoExposure and burst"])
        try expect("bracket: {burst: 65}\n", 65, ["north, south: ", "its camera takes at most 64"])
        try expect(
            "bracket: {manualExposure: [{duration: 2}]}\n", 65, ["north, south: Step 1", "takes 1/20000 s to 1/30 s"])
        try expect("bracket: {manualExposure: [{iso: 9}]}\n", 65, ["Step 1 asks for ISO 9", "100.0 to 1600.0"])
        try expect("bracket: {autoExposure: [0, 9]}\n", 65, ["Step 2", "-6.0 to 6.0 EV"])
        try expect("bracket: {burst: 1}\npolicy: {atLeast: 3}\n", 65, ["wants 3 nodes; the rig has 2"])
        #expect(try rig.volley("captures", "--json").output.filter { !$0.isWhitespace } == "[]")
        #expect(try rig.volley("fire", "/nowhere.yaml").errors.contains("/nowhere.yaml: cannot be read"))
        #expect(try rig.volley("show", "1").status == 1)
        #expect(try rig.volley("show", "abc").status == 64)
        #expect(try rig.volley("cancel", "5").status == 1)
        // What would be another plan, and what would find nothing.
        for (words, said) in [
            (["fire", "--auto", "-2,", "0,"], "without spaces"), (["fire", "--single", "--at", "soon"], "+5s"),
            (["captures", "--since", "+1h"], "lies in the future"), (["captures", "--limit", "0"], "'0' is invalid"),
            // Its h is no request for help.
            (["fetch", "--since", "-1h"], "Missing expected argument '<folder>'"),
            (["sheet", "last", "-o", "a.png"], "name it a.jpg"),
        ] {
            let told = try rig.volley(words)
            #expect(told.status == 64 && told.errors.contains(said), "\(told)")
        }
        let picture = rig.file("picture.yaml")
        try Data([0xff, 0xd8, 0xff, 0xe0, 0, 16]).write(to: URL(fileURLWithPath: picture))
        #expect(try rig.volley("fire", picture).errors.contains("it is no text"))
        let late = try rig.volley("fire", "--single", "--at", "+40d")
        #expect(late.errors.contains("more than 30 days") && !late.errors.contains("It fires"), "\(late)")
        // A node that is gone is named, and a policy that can do without it fires.
        rig.kill9("south")
        try rig.wait("the coordinator to miss the node") {
            try rig.volley("nodes", "--json").output.contains("unreachable")
        }
        try expect("bracket: {burst: 1}\n", 69, ["south: Node south is unreachable"])
        #expect(
            try rig.volley("fire", rig.write("p.yaml", "bracket: {burst: 1}\npolicy: bestEffort\n"), "--wait").status
                == 2)
        // One that is mistyped, with an option that another command would take.
        let mistyped = try rig.volley("captuers", "--limit", "3")
        #expect(mistyped.status == 64 && mistyped.errors.contains("no command 'captuers'"), "\(mistyped.errors)")
        // A key that nobody allowed.
        try rig.keygen("stranger")
        let refused = try rig.volley(["nodes"], key: "stranger")
        #expect(refused.status == 77 && refused.errors.contains("refused this key"))
    }

    @Test("is told before anything fires that a node's spool may not take it")
    func spoolLimit() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1, environment: ["VOLLEY_SPOOL_LIMIT": "1"])
        try rig.wait("the node to say that it has no room") { try rig.volley("nodes").output.contains("spoolFull") }
        let fired = try rig.volley("fire", rig.write("burst.yaml", burst))
        #expect(fired.status == 75 && fired.errors.contains("raise its spoolLimit"), "\(fired.errors)")
        let captures = try rig.volley("captures", "--json").output
        #expect(!captures.contains("uniqueID"), "\(captures)")
    }

    @Test("watches without holding anybody up, and hears in the end of all that was missed, once and in order")
    func stopsReading() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("burst.yaml", burst)
        try rig.start("watch", "volley", ["watch", "--jsonl"], rig.operatorEnvironment())
        try rig.wait("the watch to begin") { try rig.log("watch").contains("Watching") }
        func fire() throws { #expect(try rig.volley("fire", plan, "--wait").status == 0) }
        try fire()
        kill(rig.processID("watch"), SIGSTOP)
        for _ in 0..<4 { try fire() }
        kill(rig.processID("watch"), SIGCONT)
        try rig.wait("the watch to have all news") { try heard(by: rig) == kept(by: rig) }
        rig.kill9("coordinator")
        try rig.wait("the watch to tell that nobody is there") { try rig.log("watch").contains("coordinator is away") }
        try rig.startCoordinator()
        try rig.awaitReady(1)
        try fire()
        try rig.wait("the watch to tell that it goes on") { try rig.log("watch").contains("It is back") }
        try rig.wait("the watch to have all news") { try heard(by: rig) == kept(by: rig) }
        #expect(try heard(by: rig).count > 6 * 11, "six captures of eleven events each")
        rig.kill9("coordinator")
        try FileManager.default.removeItem(atPath: rig.file("operators/operator.pub"))
        try rig.startCoordinator()
        try rig.wait("the watch to be shut out") { try rig.log("watch").contains("refused this key") }
    }

    /// The numbers of the news that a watch has printed.
    private func heard(by rig: LocalRig) throws -> [Int64] {
        try rig.log("watch").split(separator: "\n").filter { $0.hasPrefix("{") }.map { try number(of: $0) }
    }

    private func number(of line: Substring) throws -> Int64 {
        struct Numbered: Decodable { let number: Int64 }
        return try JSONDecoder().decode(Numbered.self, from: Data(line.utf8)).number
    }

    /// Those in the catalogue, from the first that the watch has heard.
    private func kept(by rig: LocalRig) throws -> [Int64] {
        guard let first = try heard(by: rig).first else { return [] }
        return try news(in: rig).filter { $0 >= first }
    }

    /// As SQLite reads them.
    private func news(in rig: LocalRig) throws -> [Int64] {
        try DatabaseQueue(path: rig.library + "/catalogue.sqlite").read {
            try Int64.fetchAll($0, sql: "SELECT number FROM news ORDER BY number")
        }
    }

    @Test("hears what happened before, from any number or time on, also with a client that is not ours")
    func since() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("burst.yaml", burst)
        for _ in 0..<2 { #expect(try rig.volley("fire", plan, "--wait").status == 0) }
        let all = try news(in: rig)
        try rig.start("watch", "volley", ["watch", "--jsonl", "--since", "1h"], rig.operatorEnvironment())
        try rig.wait("the watch to tell what was") { try heard(by: rig).starts(with: all) }
        let middle = try #require(all.dropFirst(7).first)
        try rig.start("from", "volley", ["watch", "--jsonl", "--since", "\(middle)"], rig.operatorEnvironment())
        try rig.wait("the other watch to tell what was after that") {
            let lines = try rig.log("from").split(separator: "\n").filter { $0.hasPrefix("{") }
            return try lines.map { try number(of: $0) }.starts(with: all.dropFirst(8))
        }
        #expect(try rig.volley("watch", "--since", "soon").status == 64)

        let script = try LocalRig.script("newsRequest")
        let asked = try TestSupport.run(
            "/usr/bin/python3",
            [
                try rig.write("ask.py", script), "127.0.0.1", "\(rig.operatorPort)", rig.file("operator.key"),
                rig.file("coordinator.pub"), "0",
            ])
        #expect(asked.status == 0, "\(asked.errors)")
        #expect(try asked.output.split(separator: "\n").map { try number(of: $0) }.starts(with: all))
    }

    @Test(
        "gets of a plan the events that a program gets which has the camera to itself",
        arguments: [
            "burst: 3", "manualExposure: [{duration: 1/250, iso: 100}, {duration: 1/60}]", "autoExposure: [-2, 0, 2]",
        ])
    func sameEvents(bracket: String) throws {
        let rig = try LocalRig()
        let plan = try rig.write("plan.yaml", "bracket: {\(bracket)}\nformats: [jpeg, dng]\n")
        let local = try rig.program(
            "volley-node", ["shoot", plan, "--camera", "simulated:1", "--output", rig.file("photos")])
        #expect(local.status == 0, "\(local.errors)")
        let own = try local.output.split(separator: "\n").map {
            try JSONDecoder().decode(ShotDocument.self, from: Data($0.utf8))
        }
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let fired = try rig.volley("fire", plan, "--wait", "--json")
        #expect(fired.status == 0, "\(fired.errors)")
        let capture = try CaptureDetail(document: Data(fired.output.utf8))
        let rigs = capture.events.sorted { $0.sequence < $1.sequence }
        #expect(own.count > 8 && rigs.map(\.sequence) == own.map(\.event.sequence))
        // Frames are judged and photos encoded beside the exposures that follow, however long each takes: every kind of
        // event is in order for itself, between the first and the last of all.
        func story(_ events: [(kind: CaptureEventKind, step: Int?, photo: Int?)]) -> [[String]] {
            let ends = [events.first, events.last].map { "\($0.map { "\($0.kind)" } ?? "none")" }
            return [ends]
                + CaptureEventKind.allCases.map { kind in
                    events.filter { $0.kind == kind }.map { "\(kind) \($0.step ?? 0) \($0.photo ?? 0)" }
                }
        }
        #expect(
            story(rigs.map { ($0.kind, $0.sequenceCount, $0.photoCount) })
                == story(own.map { ($0.event.kind, $0.event.sequenceCount, $0.event.photoCount) }))
        let photos = own.compactMap(\.photo).map { PhotoRecord($0) }
        #expect(capture.photos.map(\.record.format) == photos.map(\.format))
        #expect(capture.photos.map(\.record.verification) == photos.map(\.verification))
        for (one, other) in zip(capture.photos.map(\.record.requested), photos.map(\.requested)) {
            #expect(one.exposureTargetBias == other.exposureTargetBias && one.sequenceCount == other.sequenceCount)
            // What is metered is metered anew.
            if one.exposureTargetBias == nil { #expect(one == other) }
        }
    }

    @Test("cancels a capture, which still reaches its end")
    func cancels() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let fired = try rig.volley("fire", rig.write("long.yaml", "bracket: {burst: 64}\n"))
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try rig.volley("cancel", id).status == 0)
        try rig.wait("the capture to end") { try rig.capture(id).summary.state.isFinal }
        // By itself it says what waits; the last one is not one that is over.
        let waiting = try rig.volley("fire", "--single", "--at", "+1h").output.trimmingCharacters(in: .newlines)
        let nothing = try rig.volley("cancel")
        #expect(nothing.status == 1 && nothing.errors.contains("\(waiting): single, at "), "\(nothing)")
        #expect(try rig.volley("fire", "--single", "--wait").status == 0)
        let over = try rig.volley("cancel", "last")
        #expect(over.status == 1 && over.errors.contains("\(waiting): single, at "), "\(over)")
        #expect(try rig.volley("cancel", waiting).status == 0)
        #expect(try rig.capture(waiting).summary.state == .cancelled)
        #expect(try rig.volley("cancel").errors.contains("`volley cancel last`"))
        // Nobody else knows under which id it went.
        let program = BuiltPrograms.folder.appendingPathComponent("volley").path
        let lost = try run(
            "/bin/sh", ["-c", "exec \"$0\" fire --single >/dev/full", program], environment: rig.operatorEnvironment())
        #expect(lost.status == 74 && lost.errors.contains("goes on all the same"), "\(lost)")
        let capture = try rig.capture(id)
        #expect(capture.summary.state == .cancelled)
        #expect(capture.summary.firedBy == "operator" && capture.cancelledBy == "operator")
        #expect(try rig.volley("show", id).output.contains("Cancelled by operator"))
        #expect(try rig.volley("fire", rig.write("burst.yaml", burst), "--wait").status == 0)
    }
}
