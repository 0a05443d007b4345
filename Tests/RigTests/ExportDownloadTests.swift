import CaptureModel
import Foundation
import TestSupport
import Testing

/// Judged by Python's `zipfile`, by `sha256sum`, and by what `volley export` makes of the same photos.
@Suite("Exports from the console", .rigTimeLimit)
struct ExportDownloadTests {
    private static let unpack = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as archive:
            assert archive.testzip() is None
            archive.extractall(sys.argv[2])
        """

    private func names(in folder: String) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        return all.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    @Test("are those of the command, in every layout")
    func layouts() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for (index, name) in ["left", "right"].enumerated() { try rig.startNode(name, seed: index + 1) }
        try rig.awaitReady(2)
        let fired = try rig.volley("fire", "--auto", "-1,1", "--format", "jpeg", "--format", "tiff", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.enterConsole()
        let script = try rig.write("unpack.py", Self.unpack)
        for layout in ["colmap", "meshroom", "metashape", "realityscan", "odm", "hdr"] {
            let (command, file) = (rig.file("command-\(layout)"), rig.file("\(layout).zip"))
            let exported = try rig.volley("export", command, "--to", layout, "--capture", id, "--library", rig.library)
            try #require(exported.status == 0, "\(exported)")
            #expect(try rig.download("captures/\(id)/export.zip?to=\(layout)&step=", to: file) == "200")
            let unpacked = try run("/usr/bin/python3", [script, file, rig.file("unpacked")])
            try #require(unpacked.status == 0, "\(unpacked)")
            let folder = rig.file("unpacked/\(id)-\(layout)")
            // Both exposures of each bracket go to one model, which the command says as well.
            let remarks = layout == "hdr" ? [] : ["REMARKS.txt"]
            #expect(try names(in: folder) == (names(in: command) + remarks).sorted())
            let sums = try run("/bin/sh", ["-c", "cd '\(folder)' && sha256sum --quiet -c SHA256SUMS"])
            #expect(sums.status == 0, "\(sums)")
            // What of it has the rig's own number in it differs from export to export.
            for name in try names(in: command) where name.hasSuffix(".jpg") && layout != "odm" && layout != "meshroom" {
                let same = FileManager.default.contentsEqual(atPath: "\(command)/\(name)", andPath: "\(folder)/\(name)")
                #expect(same, "\(layout) \(name)")
            }
        }
        let file = rig.file("some.zip")
        let template = "%7Bnode%7D_%7Bcapture%7D_%7Bstep%7D.%7Bext%7D"
        #expect(
            try rig.download("api/v1/export.zip?state=complete&to=files&step=2&template=\(template)", to: file) == "200"
        )
        let unpacked = try run("/usr/bin/python3", [script, file, rig.file("unpacked")])
        try #require(unpacked.status == 0, "\(unpacked)")
        let expected = ["left", "right"].flatMap { node in ["jpg", "tif"].map { "\(node)_\(id)_02.\($0)" } }
        let chosen = try names(in: rig.file("unpacked/captures-files"))
        #expect(chosen == (expected + ["SHA256SUMS", "volley-export.json"]).sorted())
        for (question, status) in [
            ("export.zip?to=files", "400"), ("export.zip?to=colmap&step=9", "404"), ("export.zip?to=photoshop", "400"),
            ("export.zip?to=files&template=x", "400"),
            ("export.zip?to=files&template=\(String(repeating: "%7Bcapture%7D/", count: 100))\(template)", "400"),
            ("export.zip", "400"), ("export.zip?to=colmap&session=a", "400"),
        ] {
            #expect(try rig.download("captures/\(id)/\(question)", to: file) == status, "\(question)")
        }
        try rig.keygen("admin", into: "administrators")
        let audit = try rig.volley(["audit"], key: "admin")
        #expect(audit.output.contains("4 photos for colmap to \(id)-colmap.zip"), "\(audit)")
        // A photo that is damaged is named, and keeps the others from nobody.
        let path = try #require(try rig.volley("photos").output.split(separator: "\n").first { $0.hasSuffix(".jpg") })
        try Data("x".utf8).write(to: URL(fileURLWithPath: String(path)))
        #expect(try rig.download("captures/\(id)/export.zip?to=hdr", to: file) == "200")
        _ = try run("/usr/bin/python3", [script, file, rig.file("damaged")])
        let remarks = try String(contentsOfFile: rig.file("damaged/\(id)-hdr/REMARKS.txt"), encoding: .utf8)
        #expect(remarks.split(separator: "\n").count == 1, "\(remarks)")
        #expect(try names(in: rig.file("damaged/\(id)-hdr")).count { $0.hasSuffix(".jpg") } == 3)
    }
}
