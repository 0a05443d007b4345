import CaptureModel
import Catalogue
import Foundation
import TestSupport
import Testing

/// What the programs print as JSON, held against its schema by Debian's jsonschema, which nobody here wrote.
@Suite("Documents", .rigTimeLimit)
struct DocumentTests {
    private let rig: LocalRig

    init() throws { rig = try LocalRig() }

    private func expect(_ name: String, _ words: [String], key: String = "operator", status: Int32 = 0) throws {
        let told = try rig.volley(words, key: key)
        #expect(told.status == status, "\(words): \(told.errors)")
        #expect(try rig.judge(told.output, as: name) == "1 read\n", "\(words)")
    }

    @Test("are what the schema says, of every command")
    func documents() throws {
        try rig.keygen("admin", into: "administrators")
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.startNode("south", seed: 2)
        try rig.awaitReady(2)
        try rig.start("watch", "volley", ["watch", "--jsonl"], rig.operatorEnvironment())
        try rig.wait("the watch to begin") { try rig.log("watch").contains("Watching") }
        let plan = try rig.write(
            "plan.yaml",
            """
            name: all
            bracket: {manualExposure: [{duration: 1/250, iso: 100}, {duration: 1/60}]}
            formats: [jpeg, tiff]
            maxSpread: 50ms
            offsets: {south: 2ms}
            policy: bestEffort
            """)
        try expect("fired", ["fire", "--single", "--json"])
        try rig.wait("the capture to end") { try rig.capture("last").summary.state.isFinal }
        try expect("firedAndOver", ["fire", plan, "--wait", "--session", "day", "--label", "k=v", "--json"])
        try expect("annotated", ["rate", "last", "4", "--json"])
        try expect("annotated", ["reject", "last", "--step", "1", "--json"])
        try expect("captures", ["captures", "--json"])
        try expect("show", ["show", "last", "--json"])
        try expect("photos", ["photos", "--session", "day", "--json"])
        try expect("sessions", ["sessions", "--json"])
        try expect("labels", ["labels", "--json"])
        try expect("nodes", ["nodes", "--json"])
        try expect("cameras", ["camera", "list", "--json"])
        try expect("clocks", ["clocks", "--json"])
        try expect("status", ["status", "--json"], status: rig.volley("status").status)
        try expect("versions", ["nodes", "versions", "--json"])
        try expect("cameraStates", ["camera", "set", "north", "exposureDuration=1/500", "iso=200", "--json"])
        try expect("cameraStates", ["camera", "show", "--json"])
        try expect("cameraStates", ["camera", "set", "north", "exposureDuration=9s", "--json"], status: 1)
        try rig.start(
            "board", "volley-node",
            [
                "--name", "board", "--camera", "simulated:3", "--coordinator", "127.0.0.1:\(rig.controlPort)",
                "--spool",
                rig.file("spool-board"),
            ])
        try rig.wait("a board to ask") {
            try rig.volley(["nodes", "pending", "--json"], key: "admin").output.contains("board")
        }
        try expect("pending", ["nodes", "pending", "--json"], key: "admin")
        try expect("operators", ["operators", "--json"], key: "admin")
        try expect("metrics", ["metrics", "--json"])
        try expect("check", ["check", plan, "--json"])
        try expect("armed", ["arm", plan, "--json"])
        try expect("fired", ["fire", "--armed", "--json"])
        try rig.wait("the capture to end") { try rig.capture("last").summary.state.isFinal }
        try expect("fired", ["fire", "--single", "--at", "+1h", "--json"])
        try expect("cancelled", ["cancel", "last", "--json"])
        try expect("fetch", ["fetch", rig.file("here"), "--session", "day", "--json"])
        let export = ["export", rig.file("there"), "--to", "colmap", "--session", "day", "--json"]
        try expect("export", export + ["--dry-run"])
        try expect("export", export)
        let manifest = try String(contentsOfFile: rig.file("there/volley-export.json"), encoding: .utf8)
        #expect(try rig.judge(manifest, as: "exportManifest") == "1 read\n")
        let truth = try rig.program("volley-node", ["truth", "simulated:1", "simulated:2"]).output
        #expect(try rig.judge(truth, as: "truth") == "1 read\n")
        try expect("rig", ["rig", "import", try rig.write("truth.json", truth), "--json"])
        try expect("rig", ["rig", "show", "--json"])
        try expect("trash", ["delete", "last", "--json"])
        try expect("trash", ["trash", "--json"])
        try expect("captures", ["captures", "--deleted", "--json"])
        try expect("photos", ["photos", "--capture", "last", "--state", "deleted", "--state", "stored", "--json"])
        try expect("audit", ["audit", "--json"], key: "admin")
        try expect("verify", ["verify", rig.library, "--json"])
        try expect("failure", ["show", "123", "--json"], status: 1)
        try expect("failure", ["captures", "--limit", "many", "--json"], status: 64)
        let watched = try rig.log("watch").split(separator: "\n").filter { $0.hasPrefix("{") }.joined(separator: "\n")
        #expect(watched.contains("nodeNotice") || watched.contains("captureNotice"))
        #expect(try rig.judge(watched, as: "notice", isOfLines: true).hasSuffix("read\n"))
        #expect(try rig.judge(watched, as: "notice", isOfLines: true).split(separator: "\n").count == 1)
    }

    @Test("are what the schema says, of what boards print")
    func boards() throws {
        func expect(_ name: String, _ words: [String], isOfLines: Bool = false, status: Int32 = 0) throws {
            let told = try rig.program("volley-node", words)
            #expect(told.status == status, "\(words): \(told.errors)")
            let judged = try rig.judge(told.output, as: name, isOfLines: isOfLines)
            #expect(judged.contains(isOfLines ? /^[1-9]\d* read\n$/ : /^1 read\n$/), "\(words): \(judged)")
        }
        let camera = ["--camera", "simulated:1"]
        try expect("pluggedCameras", ["cameras", "--json"] + camera)
        try expect("pluggedCameras", ["cameras", "--json"])
        try expect("cameraState", ["camera", "show", "--json"] + camera)
        try expect("cameraState", ["camera", "set", "iso=200", "--json", "--spool", rig.file("spool")] + camera)
        let plan = try rig.write("plan.yaml", "bracket: {autoExposure: [-1, 1]}\nformats: [jpeg, dng]\n")
        try expect("shot", ["shoot", plan] + camera, isOfLines: true)
        // A board by itself says how well it knows when it exposed, and by what.
        let photos = try rig.program("volley-node", ["shoot", plan] + camera).output.split(separator: "\n").filter {
            $0.contains("exposureStartNodeTimeNanoseconds")
        }
        #expect(photos.count == 4)
        for photo in photos {
            #expect(photo.contains("exposureStartUncertaintyNanoseconds") && photo.contains("exposureStartSource"))
        }
        try expect("profile", ["calibrate", "simulated:1", "--json", "--profiles", rig.file("profiles")])
        try expect("truth", ["truth", "simulated:1@0", "simulated:2@15+k1=-0.05"])
        // Where nobody listens.
        let configuration = try rig.write("node.yaml", "name: north\ncamera: simulated:1\ncoordinator: 127.0.0.1:1\n")
        try expect(
            "doctor", ["doctor", "--json", "--config", configuration, "--spool", rig.file("spool")], status: 1)
        try expect("failure", ["shoot", "nowhere.yaml", "--json"] + camera, status: 64)
    }

    @Test("are what the schema says, where it takes a lamp or a plug to have them")
    func others() throws {
        for (name, text) in [
            ("testSync", #"[{"node": "a", "offsetNanoseconds": -5, "scatterNanoseconds": 2, "edgeCount": 9}]"#),
            ("pluggedCameraChange", #"{"disconnected": "v4l2:/dev/video0"}"#),
            (
                "pluggedCameraChange",
                #"{"connected": {"path": "v4l2:/dev/video0", "formats": [], "problem": "?"}}"#
            ),
        ] { #expect(try rig.judge(text, as: name) == "1 read\n", "\(text)") }
    }

    @Test("are refused by the schema where a field has another name, or is of another kind")
    func strictness() throws {
        let good = #"{"uniqueID": 1, "waitsFor": 2}"#
        #expect(try rig.judge(good, as: "fired") == "1 read\n")
        for bad in [#"{"uniqueID": "1"}"#, #"{"id": 1}"#, #"{"uniqueID": 1, "waits": 2}"#] {
            #expect(try rig.judge(bad, as: "fired") != "1 read\n", "\(bad)")
        }
    }

    @Test("have the plan so that it can be fired again as it is")
    func plan() async throws {
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write(
            "plan.yaml",
            """
            name: a plan
            bracket: {manualExposure: [{duration: 1/160, iso: 100}, {duration: 1/61}]}
            lead: 500ms
            offsets: {nor*: 1ms}
            metering: perCamera
            settings:
              - {nodes: [n*], formats: [jpeg, tiff], exposureDuration: 7ms, whiteBalance: 4000.5K, thumbnail: 64x48}
              - {whiteBalance: "1.2345,1,1.5432", quality: speed}
            """)
        func fire(_ path: String) throws -> (id: UniqueID, plan: String) {
            let fired = try rig.volley("fire", path, "--json", "--wait")
            let file = try rig.write("fired.json", fired.output)
            let read = "import json,sys; print(json.dumps(json.load(open(sys.argv[1]))['plan']))"
            return (
                try CaptureDetail(document: Data(fired.output.utf8)).summary.uniqueID,
                try run("/usr/bin/python3", ["-c", read, file]).output
            )
        }
        let first = try fire(plan)
        let second = try fire(try rig.write("again.json", first.plan))
        let catalogue = try Catalogue(reading: rig.library + "/catalogue.sqlite")
        let plans = (try await catalogue.plan(of: first.id), try await catalogue.plan(of: second.id))
        #expect(plans.0 != nil && plans.0 == plans.1 && plans.0?.settings?.count == 2, "\(first.plan)")
        let formats = try rig.capture("last").photos.map(\.record.format)
        #expect(formats == [.jpeg, .tiff, .jpeg, .tiff])
    }
}
