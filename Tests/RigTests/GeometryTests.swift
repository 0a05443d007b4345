import CaptureModel
import Foundation
import TestSupport
import Testing

/// With models as COLMAP writes them, made of what the simulated cameras truly are; `deploy/try-calibration` has COLMAP
/// itself make them.
@Suite("Where a rig's cameras stand", .rigTimeLimit)
struct GeometryTests {
    private let rig: LocalRig
    private let names = (1...5).map { "node-\($0)" }
    private let first: String
    private let second: String

    init() throws {
        rig = try LocalRig()
        try rig.keygen("admin", into: "administrators")
        try rig.startCoordinator()
        for (index, name) in names.enumerated() {
            try rig.startNode(name, seed: index + 1, camera: "@\(index * 15)")
        }
        try rig.awaitReady(names.count)
        first = try Self.fire(rig)
        second = try Self.fire(rig)
    }

    private static func fire(_ rig: LocalRig) throws -> String {
        let fired = try rig.volley("fire", "--auto", "-2,0,2", "--format", "jpeg", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct Truth: Decodable {
        struct Camera: Decodable {
            let camera: String
            let focalLengthPixels, principalPointPixels, rotation, translation: [Double]
        }
        let cameras: [Camera]
    }

    /// A model of a capture in COLMAP's text form.
    private func model(_ name: String, of id: String, degrees: [Double], without missing: Int? = nil) throws -> String {
        let cameras = degrees.enumerated().map { "simulated:\($0 + 1)@\($1)" }
        let told = try rig.program("volley-node", ["truth"] + cameras)
        let truth = try JSONDecoder().decode(Truth.self, from: Data(told.output.utf8))
        var (lenses, images) = ("# Camera list\n", "# Image list\n")
        for (index, camera) in truth.cameras.enumerated() where index != missing {
            let numbers = (camera.rotation + camera.translation).map { "\($0)" }.joined(separator: " ")
            let (focal, centre) = (camera.focalLengthPixels[0], camera.principalPointPixels)
            lenses += "\(index + 1) SIMPLE_RADIAL 640 480 \(focal) \(centre[0]) \(centre[1]) 0\n"
            images += "\(index + 1) \(numbers) \(index + 1) \(names[index])/\(id)_02.jpg\n\n"
        }
        try FileManager.default.createDirectory(atPath: rig.file(name), withIntermediateDirectories: true)
        _ = try rig.write(name + "/cameras.txt", lenses)
        _ = try rig.write(name + "/images.txt", images)
        return rig.file(name)
    }

    private let standing = (0..<5).map { Double($0) * 15 }

    private func json(_ result: ProgramResult) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result.errors)")
    }

    private func rigFile(_ folder: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: URL(fileURLWithPath: rig.file(folder + "/rig_config.json")))
        let rigs = try JSONSerialization.jsonObject(with: data) as? [[String: [[String: Any]]]]
        return try #require(rigs?.first?["cameras"])
    }

    @Test("is kept in versions, carried by exports of what was taken since, and kept by a rebuild")
    func keeping() throws {
        #expect(try rig.volley("rig", "show").errors.contains("volley rig calibrate"))
        let kept = try rig.volley(
            "rig", "calibrate", second, "--model", try model("model", of: second, degrees: standing), "--distance",
            "node-1", "node-3", "1.7", "--json")
        let document = try json(kept)
        #expect(kept.status == 0 && document["version"] as? Int == 1 && document["lengthUnit"] as? String == "m")
        #expect(document["captures"] as? [Int] == [try #require(Int(second))])
        let shown = try rig.volley("rig", "show")
        #expect(shown.output.contains("SIM-3") && shown.output.contains("node-3") && shown.output.contains("metres"))
        // What was taken since carries it; what was taken before does not, unless that is said.
        func export(_ folder: String, _ id: String, _ words: String...) throws -> ProgramResult {
            try rig.volley(
                ["export", rig.file(folder), "--to", "colmap", "--capture", id, "--library", rig.library] + words)
        }
        #expect(try export("since", second).status == 0)
        let cameras = try rigFile("since")
        let places = cameras.compactMap { $0["cam_from_rig_translation"] as? [Double] }
        #expect(cameras.count == 5 && places.count == 4 && cameras[0]["ref_sensor"] as? Bool == true)
        #expect(cameras.allSatisfy { $0["camera_model_name"] as? String == "SIMPLE_RADIAL" })
        // node-1 and node-3 are as far apart as was said.
        let third = places[1].map { $0 * $0 }.reduce(0, +).squareRoot()
        #expect(abs(third - 1.7) < 1e-6)
        #expect(try export("before", first).status == 0)
        #expect(try rigFile("before").allSatisfy { $0["cam_from_rig_translation"] == nil })
        #expect(try export("asked", first, "--poses", "1").status == 0)
        #expect(try rigFile("asked").count { $0["cam_from_rig_translation"] != nil } == 4)
        #expect(try export("none", second).errors.contains("with the poses of version 1"))
        let without = try export("none", second, "--poses", "none")
        #expect(
            without.status == 0
                && without.errors.contains("carried poses of version 1 before, and carries no poses now"))
        #expect(try rigFile("none").allSatisfy { $0["cam_from_rig_translation"] == nil })
        let sidecars = try rig.volley(
            "export", rig.file("rs"), "--to", "realityscan", "--capture", second, "--step", "2", "--library",
            rig.library)
        #expect(sidecars.status == 0)
        let read = try run("/usr/bin/exiftool", ["-r", "-json", "-ext", "xmp", rig.file("rs")])
        #expect(read.output.components(separatedBy: "\"PosePrior\": \"initial\"").count == 6, "\(read.output)")
        // A rebuilt catalogue knows it still.
        _ = rig.terminate("coordinator")
        try FileManager.default.removeItem(atPath: rig.library + "/catalogue.sqlite")
        #expect(try rig.volley("rebuild", rig.library).status == 0)
        let again = try rig.volley("rig", "show", "--library", rig.library, "--json")
        let rebuilt = try json(again)["cameras"] as? NSArray
        #expect(rebuilt == document["cameras"] as? NSArray)
    }

    @Test("says which camera was moved, which is missing, and accuses no other")
    func checking() throws {
        let calibrated = try rig.volley(
            "rig", "calibrate", first, "--model", try model("model", of: first, degrees: standing))
        #expect(calibrated.status == 0)
        let same = try rig.volley(
            "rig", "check", second, "--model", try model("same", of: second, degrees: standing))
        #expect(same.status == 0 && same.output.hasPrefix("5 cameras of version 1 stand"), "\(same)")
        var knocked = standing
        // By 2 % of the radius.
        knocked[3] += 1.146
        let moved = try rig.volley(
            "rig", "check", second, "--model", try model("moved", of: second, degrees: knocked))
        let lines = moved.output.split(separator: "\n")
        #expect(moved.status == 1 && lines.count == 2, "\(moved)")
        #expect(lines.first?.hasPrefix("node-4, camera SIM-4: moved by") == true && lines[1].hasPrefix("4 cameras"))
        let missing = try model("missing", of: second, degrees: standing, without: 1)
        let unplaced = try rig.volley("rig", "check", second, "--model", missing, "--json")
        #expect(try rig.judge(unplaced.output, as: "rigCheck") == "1 read\n")
        #expect(try rig.judge(moved.output, as: "rigCheck") != "1 read\n", "words are no document")
        let states = (try json(unplaced)["cameras"] as? [[String: Any]] ?? []).filter {
            $0["state"] as? String != "stands"
        }
        #expect(unplaced.status == 1 && states.map { $0["node"] as? String } == ["node-2"])
        // Nothing incomplete is kept, unless that is wanted.
        let partial = ["rig", "calibrate", second, "--model", missing]
        let refused = try rig.volley(partial)
        #expect(refused.status == 1 && refused.errors.contains("node-2") && refused.errors.contains("--partial"))
        #expect(try json(try rig.volley("rig", "show", "--json"))["version"] as? Int == 1)
        #expect(try rig.volley(partial + ["--partial"]).status == 0)
        // A rig of which not all is known: those that are known are a rig for COLMAP, and the other is said.
        let exported = try rig.volley(
            "export", rig.file("part"), "--to", "colmap", "--capture", second, "--library", rig.library)
        #expect(exported.status == 0 && exported.errors.contains("cameras of node-2;"), "\(exported.errors)")
        let known = try rigFile("part")
        #expect(known.map { $0["image_prefix"] as? String } == ["node-1/", "node-3/", "node-4/", "node-5/"])
        #expect(known.count { $0["cam_from_rig_translation"] != nil } == 3)
        // The whole rig again, and then not less of it by mistake.
        let again = try model("again", of: second, degrees: standing)
        #expect(try rig.volley("rig", "calibrate", second, "--model", again).status == 0)
        let three = try rig.volley(
            "rig", "calibrate", second, "--model", again, "--node", "node-1", "--node", "node-3")
        #expect(three.status == 1 && three.errors.contains("SIM-2, SIM-4, SIM-5"), "\(three)")
        let unknown = try rig.volley("rig", "calibrate", second, "--distance", "node-1", "nobody", "2")
        #expect(unknown.status == 1 && unknown.errors.contains("no node 'nobody' took part"), "\(unknown)")
        // A model of another capture.
        let other = try rig.volley("rig", "check", first, "--model", missing)
        #expect(other.status == 1 && other.errors.contains("export"))
    }

    @Test("is taken from a file, of this rig and of no other")
    func importing() throws {
        let cameras = standing.enumerated().map { "simulated:\($0 + 1)@\($1)" }
        let truth = try rig.program("volley-node", ["truth"] + cameras).output
        let file = try rig.write("truth.json", truth)
        #expect(try rig.volley("rig", "import", file, "--dry-run").output.contains("Not kept"))
        #expect(try rig.volley("rig", "show").status == 1)
        let imported = try rig.volley("rig", "import", file, "--json")
        #expect(imported.status == 0, "\(imported)")
        // Out again, and in: the same cameras.
        #expect(try rig.volley("rig", "export", rig.file("out.json")).status == 0)
        #expect(try rig.volley("rig", "export", rig.file("out.json")).status == 1, "it is there already")
        let again = try json(try rig.volley("rig", "import", rig.file("out.json"), "--json"))
        #expect(again["version"] as? Int == 2)
        let versions = try rig.volley("rig", "versions")
        #expect(versions.output.contains("2 (now)") && !versions.output.contains("1 (now)"), "\(versions)")
        func places(_ document: [String: Any]) -> [Double] {
            (document["cameras"] as? [[String: Any]] ?? []).flatMap { $0["translation"] as? [Double] ?? [] }
        }
        let (before, after) = (places(try json(imported)), places(again))
        #expect(before.count == 15 && zip(before, after).allSatisfy { abs($0 - $1) < 1e-12 })
        let foreign = try rig.write("foreign.json", truth.replacingOccurrences(of: "SIM-", with: "XYZ-"))
        let refused = try rig.volley("rig", "import", foreign)
        #expect(refused.status == 1 && refused.errors.contains("another rig"), "\(refused)")
        let broken = try rig.write("broken.json", truth.replacingOccurrences(of: "\"rotation\"", with: "\"turn\""))
        for file in [broken, rig.file("nowhere.json"), try rig.write("short.json", "{}")] {
            #expect(try rig.volley("rig", "import", file).status == 1)
        }
        try rig.keygen("watcher")
        let added = try rig.volley(
            ["operators", "add", "watcher", rig.file("watcher.pub"), "--role", "watch"], key: "admin")
        #expect(added.status == 0, "\(added)")
        let watcher = try rig.volley(["rig", "import", file], key: "watcher")
        #expect(watcher.status != 0, "\(watcher)")
        #expect(try rig.volley(["rig", "show"], key: "watcher").status == 0)
        #expect(try json(try rig.volley("rig", "show", "--version", "1", "--json"))["version"] as? Int == 1)
        #expect(try rig.volley("rig", "show", "--version", "7").errors.contains("no version 7"))
    }
}
