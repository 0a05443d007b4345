import CaptureModel
import Foundation
import TestSupport
import Testing

/// Judged by sha256sum, djpeg, exiftool, and by the rules by which the programs that photos go to read them.
@Suite("Photos that are exported", .rigTimeLimit)
struct ExportTests {
    private let rig: LocalRig
    private let id: String

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("top", seed: 1)
        try rig.startNode("node-10", seed: 2)
        try rig.startNode("node-2", seed: 3)
        try rig.awaitReady(3)
        let fired = try rig.volley(
            "fire", "--auto", "0,-2,2", "--format", "jpeg", "--format", "dng", "--session", "Söhne", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func export(_ layout: String, _ words: String...) throws -> ProgramResult {
        try rig.volley(
            ["export", rig.file(layout), "--to", layout, "--capture", id] + (words.isEmpty ? library : words))
    }

    private var library: [String] { ["--library", rig.library] }

    /// The paths of photos below a folder, relative to it.
    private func photos(_ layout: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: rig.file(layout))?.compactMap { $0 as? String } ?? []
        return names.filter { ["jpg", "dng"].contains(($0 as NSString).pathExtension) }.sorted()
    }

    private func tags(_ path: String) throws -> [String: Any] {
        let told = try run("/usr/bin/exiftool", ["-json", "-n", "-G1", path])
        let list = try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [[String: Any]]
        return try #require(list?.first)
    }

    private func expectWhole(_ layout: String, count: Int) throws {
        #expect(try photos(layout).count == count, "\(layout)")
        let sums = try run(
            "/bin/bash", ["-c", "cd \"$0\" && sha256sum -c --strict --quiet SHA256SUMS", rig.file(layout)])
        #expect(sums.status == 0, "\(sums)")
        for name in try photos(layout) where name.hasSuffix("jpg") {
            let path = rig.file("\(layout)/\(name)")
            let original = try original(of: path)
            let pixels = try [path, original].map { path in
                try run("/bin/bash", ["-c", "djpeg \"$0\" | sha256sum", path]).output
            }
            #expect(pixels[0] == pixels[1] && pixels[0].count > 64, "\(path)")
        }
    }

    /// Where the original of an exported photo is, by its ImageUniqueID.
    private func original(of path: String) throws -> String {
        let id = try #require(try tags(path)["ExifIFD:ImageUniqueID"] as? String)
        let listed = try rig.volley("photos", "--capture", self.id, "--format", "jpeg", "--json")
        let rows = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]] ?? []
        let row = try #require(rows.first { $0["imageUniqueID"] as? String == id })
        return "\(rig.library)/\(try #require(row["path"] as? String))"
    }

    @Test("lie as each program takes them, with the pixels of their originals")
    func layouts() throws {
        for layout in ["colmap", "meshroom", "metashape", "realityscan", "odm", "hdr"] {
            let exported = try export(layout)
            #expect(exported.status == 0 && exported.errors.contains("9 photos exported"), "\(exported.errors)")
            try expectWhole(layout, count: 9)
        }
        // COLMAP: folders of cameras in which an instant has one name.
        let colmap = try photos("colmap").map { $0.split(separator: "/") }
        let names = Dictionary(grouping: colmap) { $0[1] }.mapValues { Set($0.map { $0[2] }) }
        #expect(names.count == 3 && Set(names.values).count == 1)
        let rigFile = try Data(contentsOf: URL(fileURLWithPath: rig.file("colmap/rig_config.json")))
        let cameras = (try JSONSerialization.jsonObject(with: rigFile) as? [[String: [[String: Any]]]])?.first?[
            "cameras"]
        #expect(cameras?.compactMap { $0["image_prefix"] as? String } == ["node-2/", "node-10/", "top/"])
        #expect(cameras?.count { $0["ref_sensor"] as? Bool == true } == 1)
        let meshroom = AliceVisionReader(try photos("meshroom"))
        #expect(meshroom.objection == nil && meshroom.singles.isEmpty && meshroom.frames.count == 3, "\(meshroom)")
        #expect(meshroom.frames.values.allSatisfy { $0.sorted() == [1, 2, 3] }, "\(meshroom)")
        // Metashape: names that differ by themselves.
        #expect(Set(try photos("metashape").map { ($0 as NSString).lastPathComponent }).count == 9)
        try expectGroups()
        // A sidecar's stem is its photo's, and one instant of the rig has one GUID.
        var instances: [String: Set<String>] = [:]
        for name in try photos("realityscan") {
            let sidecar = try tags(rig.file("realityscan/\(name.dropLast(3))xmp"))
            #expect(sidecar.contains { $0.key.hasSuffix(":RigPoseIndex") }, "\(sidecar)")
            #expect(!sidecar.contains { $0.key.hasSuffix(":PosePrior") })
            let instance = sidecar.first { $0.key.hasSuffix(":RigInstance") }
            instances[String(name.split(separator: "/")[1]), default: []].insert("\(instance?.value ?? "")")
        }
        #expect(instances.values.map(\.count) == [1, 1, 1] && Set(instances.values).count == 3, "\(instances)")
        // OpenDroneMap: one text for one instant, and no name of a band.
        let odm = try photos("odm").map {
            try OpenDroneMapReader(Data(contentsOf: URL(fileURLWithPath: rig.file("odm/\($0)"))))
        }
        let instants = Dictionary(grouping: odm) { $0.captureUUID ?? "" }.mapValues { Set($0.map(\.bandIndex)) }
        #expect(instants.count == 3 && instants.values.allSatisfy { $0 == ["0", "1", "2"] }, "\(odm)")
        #expect(odm.allSatisfy { $0.bandName == "RGB" })
        #expect(
            try photos("odm").allSatisfy { try tags(rig.file("odm/\($0)"))["XMP-volley:Session"] as? String == "Söhne" }
        )
        // A bracket in ascending exposure, which the plan was not in.
        let exposures = try ["b00", "b01", "b02"].map { name in
            try #require(try tags(rig.file("hdr/\(id)/top/\(name).jpg"))["ExifIFD:ExposureTime"] as? Double)
        }
        #expect(exposures == exposures.sorted() && exposures[2] > 10 * exposures[0], "\(exposures)")
        let table = try String(contentsOfFile: rig.file("hdr/\(id)/top/exposures.csv"), encoding: .utf8)
        #expect(table.split(separator: "\n").count == 4 && table.contains("verified"), "\(table)")
    }

    @Test("are opened by what merges brackets and by what develops raw photos")
    func brackets() throws {
        #expect(try export("hdr").status == 0)
        let bracket = "'\(rig.file("hdr/\(id)/top"))'/b0[012].jpg"
        let aligned = try shell("align_image_stack -a a_ \(bracket) && enfuse -o aligned.tif a_000[012].tif")
        #expect(aligned.status == 0, "\(aligned)")
        #expect(try tags(rig.file("aligned.tif"))["IFD0:ImageWidth"] as? Int == 640)
        #expect(try export("metashape", "--format", "dng", "--library", rig.library).status == 0)
        for photo in try photos("metashape") {
            let developed = try shell("dcraw_emu -T -Z developed.tif '\(rig.file("metashape/\(photo)"))'")
            #expect(developed.status == 0, "\(developed)")
            #expect(try tags(rig.file("developed.tif"))["IFD0:ImageWidth"] as? Int == 640)
        }
    }

    @Test("are one picture for each bracket where that is asked for, as enfuse itself makes it")
    func merged() throws {
        let exported = try export("colmap", "--merge", "--library", rig.library)
        #expect(exported.status == 0 && exported.errors.hasPrefix("3 photos exported"), "\(exported.errors)")
        let names = try photos("colmap").filter { $0.hasPrefix("images") }
        #expect(names == ["node-10", "node-2", "top"].map { "images/\($0)/\(id)_merged.jpg" })
        #expect(try export("hdr").status == 0)
        for name in names {
            let merged = try tags(rig.file("colmap/\(name)"))
            #expect(merged["ExifIFD:FocalLength"] != nil && merged["ExifIFD:SerialNumber"] != nil, "\(merged)")
            let own = ["ExposureTime", "ISO", "ExposureCompensation"].filter { merged["ExifIFD:\($0)"] != nil }
            #expect(own.isEmpty && merged["XMP-volley:Session"] as? String == "Söhne", "\(merged)")
            #expect(!merged.keys.contains { $0.contains("Verified") || $0.contains("SequenceCount") }, "\(merged)")
            let node = name.split(separator: "/")[1]
            let bracket = "'\(rig.file("hdr/\(id)/\(node)"))'/b0[012].jpg"
            // Which dithers, so that no two of its pictures are quite the same.
            let off = try shell(
                """
                enfuse --compression=95 -o fused.jpg \(bracket) >&2 && djpeg fused.jpg >fused.ppm
                djpeg '\(rig.file("colmap/\(name)"))' | python3 -c "
                import sys
                fused, merged = open('fused.ppm', 'rb').read(), sys.stdin.buffer.read()
                print(sum(abs(a - b) for a, b in zip(fused, merged)) / len(fused) if len(fused) == len(merged) else 99)"
                """)
            #expect(Double(off.output.trimmingCharacters(in: .whitespacesAndNewlines)).map { $0 < 2 } == true, "\(off)")
        }
        let again = try export("colmap", "--merge", "--library", rig.library)
        #expect(again.errors.hasPrefix("0 photos exported, 3 were there already"), "\(again.errors)")
        let single = try export("colmap")
        #expect(single.status == 1 && single.errors.contains("of merged brackets"), "\(single.errors)")
        let step = try export("odm", "--merge", "--step", "2", "--library", rig.library)
        #expect(step.status != 0 && step.errors.contains("--merge takes all steps"), "\(step.errors)")
        // Over the network, into copies with tags.
        let fetched = try rig.volley("export", rig.file("odm"), "--to", "odm", "--capture", id, "--merge")
        #expect(fetched.status == 0 && fetched.errors.hasPrefix("3 photos exported"), "\(fetched.errors)")
        let sums = try shell("cd '\(rig.file("odm"))' && sha256sum -c --strict --quiet SHA256SUMS")
        #expect(sums.status == 0, "\(sums)")
    }

    @Test("are merged anew where a photo came late, and not at all where one is damaged")
    func mergedLater() throws {
        let lost = try rig.volley("photos", "--capture", id, "--format", "jpeg", "--step", "3", "--node", "top")
        let path = lost.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try Data(count: whole.count).write(to: URL(fileURLWithPath: path))
        let damaged = try export("colmap", "--merge", "--library", rig.library)
        #expect(damaged.status == 1 && damaged.errors.contains("Not merged: top in"), "\(damaged.errors)")
        #expect(
            damaged.errors.contains("is damaged") && damaged.errors.contains("2 photos exported"), "\(damaged.errors)")
        try whole.write(to: URL(fileURLWithPath: path))
        let mended = try export("colmap", "--merge", "--library", rig.library)
        #expect(mended.status == 0 && mended.errors.hasPrefix("1 photo exported, 2 were"), "\(mended.errors)")
        // A bracket with fewer photos is another picture, here without its darkest.
        #expect(try rig.volley("delete", id, "--node", "top", "--step", "2").status == 0)
        let fewer = try export("colmap", "--merge", "--library", rig.library)
        #expect(fewer.status == 0 && fewer.errors.contains("1 photo exported, 2 were"), "\(fewer.errors)")
        #expect(fewer.errors.contains("not all photos are merged: top"), "\(fewer.errors)")
        let sums = try shell("cd '\(rig.file("colmap"))' && sha256sum -c --strict --quiet SHA256SUMS")
        #expect(sums.status == 0, "\(sums)")
        // What somebody did to a picture is neither taken for ours nor written over.
        let edited = rig.file("colmap/images/node-2/\(id)_merged.jpg")
        let handle = try #require(FileHandle(forWritingAtPath: edited))
        try handle.seek(toOffset: 30_000)
        handle.write(Data("edited".utf8))
        try handle.close()
        _ = try rig.volley("delete", id, "--node", "node-2", "--step", "1")
        let refused = try export("colmap", "--merge", "--library", rig.library)
        #expect(refused.status == 1 && refused.errors.contains("is there, and is another file"), "\(refused.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited)).firstRange(of: Data("edited".utf8)) != nil)
        // Names by a template: of JPEGs, whatever else there is.
        let named = try export("files", "--merge", "--template", "{node}_{step}.{ext}", "--library", rig.library)
        let files = try photos("files")
        #expect(named.status == 0 && files.contains("top_merged.jpg"), "\(files) \(named.errors)")
    }

    /// Runs a command line in the rig's folder.
    private func shell(_ command: String) throws -> ProgramResult {
        try run("/bin/bash", ["-c", "cd '\(rig.file(""))'; \(command)"])
    }

    /// Runs Metashape's script with a module that notes what it is asked to add.
    private func expectGroups() throws {
        _ = try rig.write(
            "Metashape.py",
            """
            from types import SimpleNamespace
            MultiplaneLayout = "multiplane"
            class Chunk:
                cameras = []
                def addPhotos(self, names, **how):
                    print(len(names), how.get("filegroups"), [name.split("/")[-1].split("_")[0] for name in names[:3]])
            app = SimpleNamespace(document=SimpleNamespace(chunk=Chunk()))
            """)
        let folder = rig.file("metashape") as NSString
        let ran = try run(
            "/usr/bin/python3", [rig.file("metashape/metashape_import.py")],
            environment: ["PYTHONPATH": folder.deletingLastPathComponent])
        let said = "9 [3, 3, 3] ['node-2', 'node-10', 'top']\n3 instants of 3 cameras added, and 0 single photos.\n"
        #expect(ran.output == said, "\(ran)")
    }

    @Test("are added to what is there, from this machine or over the network")
    func again() throws {
        let first = try export("colmap", "--step", "2", "--library", rig.library)
        #expect(first.errors.hasPrefix("3 photos exported"), "\(first.errors)")
        let second = try export("colmap")
        #expect(second.errors.contains("6 photos exported, 3 were there already"), "\(second.errors)")
        try expectWhole("colmap", count: 9)
        // What an interrupted one leaves: files that were about to be made, and one on its way.
        try interrupt("colmap")
        let third = try export("colmap", "--step", "2", "--library", rig.library)
        #expect(third.errors.hasPrefix("0 photos exported, 3 were there already"), "\(third.errors)")
        try expectWhole("colmap", count: 9)
        let sums = try String(contentsOfFile: rig.file("colmap/SHA256SUMS"), encoding: .utf8)
        #expect(sums.split(separator: "\n").count == 9)
        // What somebody wrote there is theirs.
        try Data("[]".utf8).write(to: URL(fileURLWithPath: rig.file("colmap/rig_config.json")))
        let fourth = try export("colmap")
        #expect(fourth.status == 0 && fourth.errors.contains("rig_config.json was changed"), "\(fourth.errors)")
        #expect(try String(contentsOfFile: rig.file("colmap/rig_config.json"), encoding: .utf8) == "[]")
        // One photo that is not wanted there.
        try FileManager.default.removeItem(atPath: rig.file("colmap/\(try photos("colmap")[0])"))
        try expectAfterRemoval()
        let audit = try rig.volley("audit", "--library", rig.library, "--json")
        #expect(audit.output.contains("6 photos for colmap to"), "\(audit.output)")
        let fetched = try rig.volley(["export", rig.file("odm"), "--to", "odm", "--capture", id])
        #expect(fetched.status == 0 && fetched.errors.contains("9 photos exported"), "\(fetched.errors)")
        #expect(try photos("odm").filter { $0.hasPrefix("images") }.count == 9)
        try interrupt("odm")
        let resumed = try export("odm")
        #expect(resumed.errors.contains("0 photos exported, 9 were there already"), "\(resumed.errors)")
        let sums2 = try run("/bin/bash", ["-c", "cd \"$0\" && sha256sum -c --quiet SHA256SUMS", rig.file("odm")])
        #expect(sums2.status == 0, "\(sums2)")
        let raw = try export("odm", "--format", "dng", "--library", rig.library)
        #expect(raw.status == 1 && raw.errors.contains("an export of JPEG files"), "\(raw.errors)")
        let other = try rig.volley(["export", rig.file("odm"), "--to", "hdr", "--capture", id] + library)
        #expect(other.status == 1 && other.errors.contains("holds an export for odm"), "\(other.errors)")
    }

    @Test("are said for what they are: their bracket, the captures in their folder, or why there are none")
    func words() throws {
        let all = try export("colmap")
        #expect(all.errors.contains("All 3 exposures of each bracket go to one model"), "\(all.errors)")
        let step = try export("metashape", "--step", "2", "--library", rig.library)
        #expect(step.status == 0 && !step.errors.contains("exposures of each bracket"), "\(step.errors)")
        #expect(try rig.volley("fire", "--single", "--format", "jpeg", "--wait").status == 0)
        let second = try rig.volley(
            ["export", rig.file("metashape"), "--to", "metashape", "--capture", "last"] + library)
        #expect(second.errors.contains("holds photos of 2 captures now"), "\(second.errors)")
        let merged = try export("metashape", "--merge", "--library", rig.library)
        #expect(merged.status == 1 && merged.errors.contains("made without --merge"), "\(merged.errors)")
        for (words, message) in [
            (["--capture", id, "--step", "9"], "There are steps 1 to 3 only."),
            (["--capture", id, "--node", "nobody"], "No such node took part, but node-2, node-10, top."),
            (["--session", "tuesday"], "There is no session 'tuesday'."),
        ] {
            let none = try rig.volley(["export", rig.file("none"), "--to", "colmap"] + words + library)
            #expect(none.status == 1 && none.errors.contains(message), "\(none.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: rig.file("none")))
        for place in [library, []] {
            let inside = try rig.volley(
                ["export", rig.library + "/photos/model", "--to", "colmap", "--capture", id] + place)
            #expect(inside.status == 1 && inside.errors.contains("which its coordinator keeps"), "\(inside.errors)")
        }
        try FileManager.default.createSymbolicLink(atPath: rig.file("link"), withDestinationPath: rig.library)
        let linked = try rig.volley(
            ["export", rig.file("link/photos/model"), "--to", "colmap", "--capture", id] + library)
        #expect(linked.status == 1 && linked.errors.contains("which its coordinator keeps"), "\(linked.errors)")
        #expect(!FileManager.default.fileExists(atPath: rig.library + "/photos/model"))
    }

    private func expectAfterRemoval() throws {
        #expect(try export("colmap", "--step", "3", "--library", rig.library).status == 0)
        try expectWhole("colmap", count: 8)
    }

    /// Makes a folder what an export leaves that ended just before its end.
    private func interrupt(_ layout: String) throws {
        let script = """
            import json, os, sys
            os.chdir(sys.argv[1])
            manifest = json.load(open("volley-export.json"))
            manifest["pending"], manifest["files"], manifest["sideFiles"] = manifest["files"], [], {}
            for file in manifest["pending"]: file["sha256"] = file.get("originalSHA256", file["sha256"])
            json.dump(manifest, open("volley-export.json", "w"))
            open("volley-export.json.part", "w").write("{")
            os.remove("SHA256SUMS")
            """
        let ran = try run("/usr/bin/python3", ["-c", script, rig.file(layout)])
        try #require(ran.status == 0, "\(ran)")
    }

    @Test("are of one format, and copies where somebody may change them")
    func copies() throws {
        let copied = try export("colmap", "--step", "1", "--copy", "--library", rig.library)
        #expect(copied.status == 0, "\(copied.errors)")
        for name in try photos("colmap") {
            let links = try FileManager.default.attributesOfItem(atPath: rig.file("colmap/\(name)"))[.referenceCount]
            #expect(links as? Int == 1)
        }
        try expectWhole("colmap", count: 3)
        // A capture of another format lacks what the folder has, which is said.
        let raw = try rig.volley("fire", "--single", "--format", "dng", "--session", "Söhne", "--wait")
        #expect(raw.status == 0, "\(raw.errors)")
        let mixed = try rig.volley(
            ["export", rig.file("colmap"), "--to", "colmap", "--session", "Söhne", "--step", "1", "--complete"]
                + library)
        #expect(mixed.status == 1 && mixed.errors.contains("no JPEG"), "\(mixed.errors)")
        // A manifest that leads elsewhere.
        let path = rig.file("colmap/volley-export.json")
        let manifest = try String(contentsOfFile: path, encoding: .utf8)
        for (text, other) in [("\"images/", "\"../images/"), ("\"sha256\":\"", "\"sha256\":\"x\\n"), ("{", "")] {
            try Data(manifest.replacing(text, with: other).utf8).write(to: URL(fileURLWithPath: path))
            let damaged = try export("colmap")
            #expect(damaged.status == 1 && damaged.errors.contains("is damaged"), "\(damaged.errors)")
        }
    }

    @Test("have names by a template, or none at all where two would share one")
    func template() throws {
        func export(_ template: String, _ words: String...) throws -> ProgramResult {
            try rig.volley(
                ["export", rig.file("files"), "--to", "files", "--capture", id, "--template", template] + library
                    + words)
        }
        let refusals = [
            ("{session}/{node}.{ext}", "would both be 'Söhne/"), ("../{node}_{step}.{ext}", "'..' leads elsewhere"),
            ("{subject}/{node}_{step}.{ext}", "has no subject"), ("con/{node}_{step}.{ext}", "Windows keeps 'con'"),
            ("{nobody}.{ext}", "There is no field {nobody}"), ("{node", "a '{' without its other"),
            ("/{node}_{step}.{ext}", "is empty"), ("{node}_{step}.", "which Windows does not keep"),
        ]
        for (template, words) in refusals {
            let refused = try export(template)
            #expect(refused.status != 0 && refused.errors.contains(words), "\(template): \(refused.errors)")
            #expect(try photos("files").isEmpty)
        }
        let planned = try export("{session}/{node}_{step}.{ext}", "--dry-run")
        #expect(planned.output.contains("/files/Söhne/node-10_01.jpg"), "\(planned.output)")
        #expect(try photos("files").isEmpty)
        let exported = try export("{session}/{node}_{step}.{ext}")
        #expect(exported.status == 0, "\(exported.errors)")
        // Of both formats, as {ext} tells them apart.
        try expectWhole("files", count: 18)
    }

    @Test("are copied onto another disk, which says when it is full, and is gone on with")
    func otherDisk() throws {
        let disk = try SmallDisk(rig.file("disk"), megabytes: 8)
        disk.fill()
        func export() throws -> ProgramResult {
            try rig.volley(["export", rig.file("disk/model"), "--to", "colmap", "--capture", id] + library)
        }
        let none = try export()
        #expect(none.status != 0 && none.errors.contains("No space left on device"), "\(none)")
        // Room for some of them.
        disk.free()
        let other = rig.file("disk/other")
        let free = try #require(
            try FileManager.default.attributesOfFileSystem(forPath: rig.file("disk"))[.systemFreeSize] as? Int)
        try Data(count: free - 200_000).write(to: URL(fileURLWithPath: other))
        let some = try export()
        #expect(some.status != 0 && some.errors.contains("No space left on device"), "\(some)")
        let placed = try photos("disk/model").count
        #expect((1..<9).contains(placed), "\(placed)")
        try FileManager.default.removeItem(atPath: other)
        let whole = try export()
        #expect(whole.status == 0 && whole.errors.contains("\(placed) were there already"), "\(whole)")
        try expectWhole("disk/model", count: 9)
        let names = FileManager.default.enumerator(atPath: rig.file("disk/model"))?.compactMap { $0 as? String } ?? []
        #expect(!names.contains { $0.hasSuffix(".part") }, "\(names)")
    }

    @Test("are never another's file, nor a damaged one, and lack nothing that is not said")
    func refused() throws {
        let folder = rig.file("colmap")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/mine.txt"))
        let foreign = try export("colmap")
        #expect(foreign.status == 1 && foreign.errors.contains("such as mine.txt"), "\(foreign.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["mine.txt"])
        try FileManager.default.removeItem(atPath: folder + "/mine.txt")
        let file = try rig.volley(
            ["export", rig.write("file", "x"), "--to", "colmap", "--capture", id, "--library", rig.library])
        #expect(file.status == 1 && file.errors.contains("is a file; name a folder"), "\(file.errors)")
        // One that was damaged since, and one that is gone.
        let files = try rig.volley("photos", "--capture", id, "--format", "jpeg", "--step", "2").output
            .split(separator: "\n").map(String.init)
        let whole = try Data(contentsOf: URL(fileURLWithPath: files[0]))
        try (whole.dropLast(9)).write(to: URL(fileURLWithPath: files[0]))
        try FileManager.default.removeItem(atPath: files[1])
        let partly = try export("colmap")
        #expect(
            partly.status == 1 && partly.errors.contains("is damaged") && partly.errors.contains("is gone"), "\(partly)"
        )
        #expect(try photos("colmap").count == 7)
        let hollow = try export("meshroom", "--step", "2", "--library", rig.library)
        #expect(hollow.status == 1 && hollow.errors.contains("Meshroom will refuse this rig"), "\(hollow)")
        #expect(AliceVisionReader(try photos("meshroom")).objection?.contains("wrong subPoseId") == true)
        // The same size, and other bytes: seen where a file is read.
        try (whole.dropLast(9) + Data(count: 9)).write(to: URL(fileURLWithPath: files[0]))
        let odm = try export("odm")
        #expect(odm.status == 1 && odm.errors.contains("is damaged"), "\(odm.errors)")
        #expect(try photos("odm").count == 7)
        let deleted = try rig.volley("delete", id, "--node", "top", "--step", "1")
        #expect(deleted.status == 0, "\(deleted.errors)")
        let lacking = try export("hdr", "--complete", "--library", rig.library)
        #expect(lacking.status == 1 && lacking.errors.contains("no JPEG of step 1"), "\(lacking.errors)")
        #expect(try photos("hdr").isEmpty)
    }
}
