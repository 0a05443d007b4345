import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A rig that is armed", .rigTimeLimit)
struct ArmTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        for (seed, name) in ["north", "south"].enumerated() { try rig.startNode(name, seed: seed + 1) }
        try rig.awaitReady(2)
    }

    @Test("fires at the shutter, and can be let go")
    func shutter() throws {
        // On a busy machine orders take longer.
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\nlead: 1s\n")
        #expect(try rig.volley("fire", "--armed").status == 1)
        let armed = try rig.volley("arm", plan, "--session", "s", "--subject", "vase")
        let id = armed.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try #require(armed.status == 0 && armed.errors.contains("north, south"), "\(armed.errors)")
        #expect(try rig.volley("show", id).output.contains("volley fire --armed"))
        #expect(try rig.volley("fire", plan).status == 75, "its nodes are busy")
        let fired = try rig.volley("fire", "--armed", "--wait")
        #expect(fired.status == 0 && fired.output.contains(id), "\(fired.errors)")
        let capture = try rig.capture(id)
        #expect(capture.summary.state == .complete && capture.summary.take == 1 && capture.photos.count == 4)
        let again = try rig.volley("arm", "--like", "last", "--json")
        #expect(again.status == 0 && again.output.contains("leadNanoseconds"), "\(again.errors)")
        #expect(try rig.volley("cancel", "last").status == 0)
        #expect(try rig.volley("fire", "--armed").errors.contains("Nothing is armed"))
        #expect(try rig.volley("arm").status == 64 && rig.volley("fire", "--armed", "--single").status == 64)
    }

    @Test("is a shutter at each key, and lets go at the last")
    func keys() throws {
        // On a busy machine orders take longer.
        _ = try rig.write("plan.yaml", "name: quick\nbracket: {burst: 2}\nlead: 1s\n")
        let volley = BuiltPrograms.folder.appendingPathComponent("volley").path
        let shot = try run(
            "/bin/sh", ["-c", "printf 'x\\ny\\nq\\n' | \"$0\" arm plan.yaml --keyboard", volley],
            environment: rig.operatorEnvironment(), folder: rig.scratch.url)
        #expect(shot.status == 0, "\(shot.errors)")
        let ids = shot.output.split(separator: "\n").map(String.init)
        try #require(ids.count == 2, "\(shot.output)\(shot.errors)")
        for id in ids { try rig.wait("capture \(id)") { try rig.capture(id).summary.state == .complete } }
        try rig.wait("the one that was let go") {
            try rig.volley("captures", "--state", "cancelled").output.contains("quick")
        }
    }
}
