import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A rig at one instant", .rigTimeLimit)
struct SyncTests {
    private func rig(_ nodes: [String], camera: String = "") throws -> LocalRig {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for (index, name) in nodes.enumerated() { try rig.startNode(name, seed: index + 1, camera: camera) }
        try rig.awaitReady(nodes.count)
        return rig
    }

    private func fire(_ rig: LocalRig, _ plan: String, _ more: [String] = []) throws -> (CaptureDetail?, ProgramResult)
    {
        let result = try rig.volley(["fire", try rig.write("plan.yaml", plan), "--wait", "--json"] + more)
        return (try? CaptureDetail(document: Data(result.output.utf8)), result)
    }

    /// How far apart the nodes began, at the widest step, in nanoseconds.
    private func widest(_ detail: CaptureDetail) -> Int64 { detail.spreads.map(\.spreadNanoseconds).max() ?? .max }

    @Test("begins every step on all nodes together, with one exposure, also where some are to be later")
    func together() throws {
        let rig = try rig(["north", "south", "east"])
        let plan = """
            bracket: {autoExposure: [-2, 0, 1]}
            maxSpread: 8ms
            metering: rigMedian
            whiteBalance: {node: north}
            """
        let (detail, result) = try fire(rig, plan)
        let capture = try #require(detail, "\(result.errors)")
        // A quarter of a frame: the frames lie on one grid, whatever the machine is busy with.
        #expect(capture.summary.state == .complete && widest(capture) < 8_000_000, "\(capture.spreads)")
        for step in 1...3 {
            let exposures = Set(capture.photos.filter { $0.record.sequenceCount == step }.map(\.record.verified))
            #expect(exposures.count == 1, "all cameras have the same exposure: \(exposures)")
        }
        let (shifted, words) = try fire(rig, plan + "\noffsets: {south: 12ms}\n")
        let wave = try #require(shifted, "\(words.errors)")
        #expect(wave.summary.state == .complete && widest(wave) < 8_000_000)
        func start(_ node: NodeName) throws -> Int64 {
            let photo = wave.photos.first { $0.node == node && $0.record.sequenceCount == 1 }
            return try #require(photo?.record.exposureStartRigTime?.nanoseconds)
        }
        #expect(abs(try start("south") - (try start("north")) - 12_000_000) < 8_000_000)
    }

    @Test("dates its photos by the coordinator, whatever a board's own clock says")
    func wrongBoardClock() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("lost", seed: 1, through: ["/usr/bin/datefudge", "300 days ago"])
        try rig.awaitReady(1)
        let (detail, result) = try fire(rig, "bracket: {burst: 1}\nformats: [jpeg, dng]")
        let capture = try #require(detail, "\(result.errors)")
        #expect(capture.photos.count == 2)
        for photo in capture.photos {
            let file = rig.library + "/" + (try #require(photo.path))
            let words = try run("/usr/bin/exiftool", ["-s3", "-DateTimeOriginal", "-OffsetTimeOriginal", file]).output
            let format = DateFormatter()
            format.dateFormat = "yyyy:MM:dd HH:mm:ss ZZZZZ"
            let date = try #require(format.date(from: words.split(separator: "\n").joined(separator: " ")), "\(words)")
            #expect(abs(date.timeIntervalSinceNow) < 60, "\(words)")
        }
        // The judge's own judge: the board did live 300 days ago.
        let lived = try #require(try rig.log("lost").split(separator: "T").first)
        #expect(lived.hasPrefix("20") && !lived.hasPrefix(ISO8601DateFormatter().string(from: Date()).prefix(7)))
    }

    @Test("keeps appointments, and refuses those that cannot be kept")
    func appointments() throws {
        let rig = try rig(["north", "south"])
        let (detail, result) = try fire(rig, "bracket: {burst: 1}", ["--at", "+2s"])
        let capture = try #require(detail, "\(result.errors)")
        #expect(capture.summary.state == .complete)
        let past = try rig.volley(["fire", rig.file("plan.yaml"), "--at", "2020-01-01T00:00"])
        #expect(past.status == 65 && past.errors.contains("ago"))
        let series = try rig.volley(["fire", rig.file("plan.yaml"), "--every", "1500ms", "--count", "3"])
        #expect(series.status == 0 && series.output.split(separator: "\n").count == 3, "\(series.errors)")
        let clocks = try rig.volley(["clocks"])
        #expect(clocks.output.contains("north") && clocks.output.contains("active") && clocks.output.contains("bound"))
    }

    @Test("goes on with a series whose coordinator did not answer for a while, and takes no late answer for another's")
    func lateAnswer() throws {
        let rig = try rig(["north"])
        let plan = try rig.write("one.yaml", "bracket: {burst: 1}")
        let words = ["fire", plan, "--every", "14s", "--count", "3"]
        try rig.start("series", "volley", words, rig.operatorEnvironment())
        func ids() throws -> Int { try rig.log("series").split(separator: "\n").count { Int64($0) != nil } }
        try rig.wait("the first one") { try ids() == 1 && (try rig.volley(["captures"]).output.contains("complete")) }
        kill(rig.processID("coordinator"), SIGSTOP)
        try rig.wait("the second one to be given up") {
            try rig.log("series").contains("number 2 of 3: no coordinator answers")
        }
        kill(rig.processID("coordinator"), SIGCONT)
        try rig.wait("what became of the second one") { try rig.log("series").contains("ago") }
        let log = try rig.log("series")
        #expect(try ids() == 2, "\(log)")
        #expect(!log.contains("number 3"))
    }

    @Test("finds by one lamp what timestamps are off by, and lets the nodes correct for it")
    func lamp() throws {
        struct Row: Decodable {
            let node: String
            let offsetNanoseconds: Int64
        }
        let rig = try rig(["north", "south", "east"], camera: "+flash")
        func test(_ more: [String]) throws -> [String: Int64] {
            let result = try rig.volley(["test-sync", "--json"] + more)
            let rows = try JSONDecoder().decode([Row].self, from: Data(result.output.utf8))
            return Dictionary(rows.map { ($0.node, $0.offsetNanoseconds) }) { $1 }
        }
        // The simulated cameras' stamps are 2.7, 0.9 and -0.9 ms late.
        let found = try test(["--keep"])
        #expect(abs((found["north"] ?? 0) - (found["east"] ?? 0) + 3_600_000) < 1_500_000, "\(found)")
        try rig.wait("the nodes to keep it") {
            try ["north", "east"].allSatisfy { try rig.log($0).contains("timestamps are corrected by") }
        }
        let left = try test([])
        #expect(abs((left["north"] ?? .max) - (left["east"] ?? 0)) < 1_500_000, "\(left)")
    }
}
