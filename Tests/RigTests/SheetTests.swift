import CaptureModel
import Foundation
import TestSupport
import Testing

/// Read by Debian's djpeg and exiftool.
@Suite("A capture on one page", .rigTimeLimit)
struct SheetTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("node-10", seed: 1)
        try rig.startNode("node-2", seed: 2)
        try rig.awaitReady(2)
    }

    /// How many levels of grey a page has, as a measure of how much is to be seen on it.
    private func levels(_ path: String) throws -> Int {
        let read = try run(
            "/bin/bash", ["-c", "djpeg -grayscale -scale 1/2 \"$0\" | od -An -v -tu1 -w1 | sort -u | wc -l", path])
        return Int(read.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    private func size(_ path: String) throws -> String {
        try run("/usr/bin/exiftool", ["-s3", "-ImageSize", path]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("is the same from the library and from the coordinator, for every format, and smaller for a step")
    func pages() throws {
        for format in ["jpeg", "dng", "tiff"] {
            let fired = try rig.volley("fire", "--auto", "-2,0,2", "--format", format, "--wait")
            try #require(fired.status == 0, "\(fired.errors)")
            let (near, far) = (rig.file("\(format)-near.jpg"), rig.file("\(format)-far.jpg"))
            let told = try rig.volley("sheet", "last", "-o", near, "--library", rig.library)
            #expect(told.status == 0 && told.output == near + "\n", "\(told)")
            #expect(try rig.volley("sheet", "last", "-o", far).status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: near)) == Data(contentsOf: URL(fileURLWithPath: far)))
            // Two nodes of three steps, each 320 pixels wide, below one another.
            #expect(try size(near) == "1016x726")
            #expect(try levels(near) > 150, "\(format)")
        }
        let step = rig.file("step.jpg")
        #expect(try rig.volley("sheet", "last", "--step", "2", "--node", "node-2", "-o", step).status == 0)
        #expect(try size(step) == "640x434")
        #expect(try rig.volley("sheet", "last", "--node", "nobody", "-o", step).status == 1)
        #expect(try rig.volley("sheet", "123456", "-o", step).errors.contains("No capture"))
        #expect(try rig.volley("sheet", "last", "--step", "9", "-o", step).errors.contains("has 3 steps only"))
        #expect(try rig.volley("sheet", "last", "-o", rig.file("sheet.png")).status == 64)
        #expect(try rig.volley("sheet", "last", "-o", rig.file("no/sheet.jpg")).errors.contains("There is no folder"))
        let pipe = rig.file("pipe.jpg")
        try #require(mkfifo(pipe, 0o600) == 0)
        let original = try #require(try rig.volley("photos", "--capture", "last").output.split(separator: "\n").first)
        let inside = try rig.volley("sheet", "last", "-o", String(original.prefix { $0 != "." }) + ".jpg")
        #expect(inside.errors.contains("is in the library \(rig.library)"), "\(inside)")
        let link = rig.file("link.jpg")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: step)
        for path in [pipe, link] {
            #expect(try rig.volley("sheet", "last", "-o", path).errors.contains("no ordinary file"))
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == step)
        let closed = try rig.program(
            "volley", ["open", "last", "--library", rig.library], environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
        #expect(closed.status == 69 && closed.errors.contains("volley sheet"), "\(closed)")
    }

    @Test("shows what is lost as lost")
    func losses() throws {
        let fired = try rig.volley("fire", "--auto", "-2,0,2", "--format", "jpeg", "--wait")
        let whole = rig.file("whole.jpg")
        #expect(try rig.volley("sheet", "last", "-o", whole, "--library", rig.library).status == 0)
        #expect(try rig.volley("delete", "last", "--step", "2").status == 0, "\(fired)")
        let less = rig.file("less.jpg")
        #expect(try rig.volley("sheet", "last", "-o", less, "--library", rig.library).status == 0)
        // A frame that says so is the only red that is as bright.
        func red(_ path: String) throws -> Int {
            let script = """
                import sys
                from PIL import Image
                pixels = Image.open(sys.argv[1]).convert("RGB").getdata()
                print(sum(1 for r, g, b in pixels if r > 230 and 70 < g < 130 and 60 < b < 120))
                """
            return Int(
                try run("/usr/bin/python3", ["-c", script, path]).output.trimmingCharacters(in: .whitespacesAndNewlines)
            ) ?? -1
        }
        let (before, after) = (try red(whole), try red(less))
        #expect(before >= 0 && after > before + 2000, "\(before), \(after)")
    }
}
