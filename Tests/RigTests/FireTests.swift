import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A shutter without a file", .rigTimeLimit)
struct FireTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
    }

    private func fire(_ arguments: String...) throws -> CaptureDetail {
        let fired = try rig.volley(["fire", "--wait"] + arguments)
        try #require(fired.status == 0, "\(arguments): \(fired.errors)")
        return try rig.capture(fired.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("count a time of day in the zone that tables show, however TZ names it")
    func zones() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        for zone in [":Europe/Rome", "JST-9", "<+0330>-3:30", "CET-1CEST,M3.5.0,M10.5.0/3", "Asia/Tokyo"] {
            let soon = try run("/usr/bin/date", ["+%H:%M", "-d", "+20 min"], environment: ["TZ": zone]).output
            let time = soon.trimmingCharacters(in: .whitespacesAndNewlines)
            let fired = try rig.program(
                "volley", ["fire", "--single", "--at", time],
                environment: rig.operatorEnvironment().merging(["TZ": zone]) { $1 })
            #expect(fired.status == 0 && fired.errors.contains(#/in (19|20) min/#), "\(zone): \(fired)")
        }
    }

    @Test("takes the bracket that is said, in the formats that are said, and takes it again")
    func said() throws {
        let auto = try fire("--auto", "-1,0,+1", "--format", "dng", "--format", "jpeg")
        #expect(auto.photos.map(\.record.format) == [.dng, .jpeg, .dng, .jpeg, .dng, .jpeg])
        #expect(auto.photos.compactMap(\.record.requested.exposureTargetBias) == [-1, -1, 0, 0, 1, 1])
        let manual = try fire("--manual", "1/250@100,1/125,@200")
        let durations = manual.photos.compactMap(\.record.requested.duration?.nanoseconds)
        #expect(durations.prefix(2) == [4_000_000, 8_000_000] && durations.count == 3)
        #expect(manual.photos.first?.record.requested.iso == 100 && manual.photos.last?.record.requested.iso == 200)
        #expect(try fire("--single").photos.count == 1)
        #expect(try fire("--burst", "4", "--policy", "bestEffort").policy == "bestEffort")
        let again = try fire("--like", "\(auto.summary.uniqueID)", "--format", "jpeg")
        #expect(again.plan?.bracket == auto.plan?.bracket && again.photos.count == 3)
        // As a shell would have it.
        let volley = BuiltPrograms.folder.appendingPathComponent("volley").path
        let piped = try run(
            "/bin/sh", ["-c", "echo 'bracket: {burst: 2}' | \"$0\" fire --wait -", volley],
            environment: rig.operatorEnvironment(), folder: rig.scratch.url)
        #expect(piped.status == 0 && piped.errors.contains("2 of 2 photos"), "\(piped.errors)")
    }

    @Test("can be asked what it would do, and does nothing")
    func checked() throws {
        let able = try rig.volley("check", "--auto", "-1,0,1", "--format", "jpeg", "--format", "dng")
        #expect(able.status == 0 && able.output.contains("6 photos of north"), "\(able.output)\(able.errors)")
        let unable = try rig.volley("check", "--manual", "2@100")
        #expect(unable.status == 65 && unable.errors.contains("north: Step 1"), "\(unable.errors)")
        rig.kill9("north")
        try rig.wait("the node to be missed") { try rig.volley("check", "--single").status == 69 }
        #expect(try rig.volley("captures", "--json").output.filter { !$0.isWhitespace } == "[]")
    }

    @Test("is refused where it is said wrongly or twice, before anything fires")
    func refused() throws {
        for arguments in [
            [], ["--single", "--burst", "2"], ["plan.yaml", "--single"], ["--single", "--policy", "0"],
            ["--single", "--format", "jpeg", "--format", "jpeg"], ["--single", "--format", "gif"], ["--like", "x"],
            ["--manual", ","], ["--manual", ""],
            // A dash that is no minus, quotes that are none of the shell's, and steps without a comma.
            ["--auto", "–2,0,2"], ["--auto", "‘-2,0,2’"], ["--auto", "0 1"], ["--auto", "-2 0 2"], ["--auto", "2;0;1"],
            ["--manual", "1/250@100 1/60@100"],
        ] {
            let result = try rig.volley(["fire"] + arguments)
            #expect(result.status == 64, "\(arguments): \(result.errors)")
        }
        for arguments in [
            ["--auto", "bright"], ["--auto", ""], ["--burst", "0"], ["--manual", "1/0@100"],
        ] {
            let result = try rig.volley(["fire"] + arguments)
            #expect(result.status == 65 && result.errors.contains("--"), "\(arguments): \(result.errors)")
        }
        #expect(try rig.volley("fire", "--like", "last").status == 1)
        #expect(try rig.volley("captures", "--json").output.filter { !$0.isWhitespace } == "[]")
    }
}
