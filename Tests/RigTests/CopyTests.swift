import CaptureModel
import Foundation
import TestSupport
import Testing

/// Copied by Debian's rclone, and judged by sha256sum.
@Suite("Photos that are kept a second time", .rigTimeLimit)
struct CopyTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try FileManager.default.createDirectory(atPath: rig.file("it's a NAS"), withIntermediateDirectories: false)
        try rig.startCoordinator()
        try rig.startNode("top", seed: 1)
        try rig.awaitReady(1)
    }

    private func fire(_ count: Int) throws -> String {
        let plan = try rig.write("plan.yaml", "bracket: {burst: \(count)}\n")
        let fired = try rig.volley("fire", plan, "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func copy(_ arguments: String...) throws -> ProgramResult {
        try rig.volley(["copy", rig.library, rig.file("it's a NAS")] + arguments)
    }

    @Test("are read back before they count, copied once, and found out if they change")
    func copies() throws {
        let first = try fire(3)
        let unasked = try copy()
        #expect(unasked.status == 69 && unasked.errors.contains("--new-place"), "\(unasked.errors)")
        let copied = try copy("--new-place")
        #expect(copied.status == 0 && copied.errors.contains("3 photos copied and read back"), "\(copied.errors)")
        let photos = try rig.capture(first).photos
        for photo in photos {
            let path = try #require(photo.path)
            let hash = try run("/usr/bin/sha256sum", [rig.file("it's a NAS/" + path)]).output.prefix(64)
            #expect(hash == photo.record.file?.sha256 ?? "")
        }
        let archive = try #require(photos.first?.path?.split(separator: "/").dropLast().joined(separator: "/"))
        #expect(FileManager.default.fileExists(atPath: rig.file("it's a NAS/\(archive)/capture.json")))

        // While the rig goes on, only what is new.
        _ = try fire(2)
        let more = try copy()
        #expect(more.status == 0 && more.errors.contains("2 photos copied") && more.errors.contains("has 5 of 5"))
        #expect(try copy().errors.contains("0 photos copied"))

        // One of them rots, as the NAS does not notice: same size, same time.
        let rotten = rig.file("it's a NAS/" + (try #require(photos.first?.path)))
        let rot =
            "touch -r \"$0\" /tmp/$$ && printf x | dd of=\"$0\" bs=1 seek=100 conv=notrunc 2>/dev/null && touch -r /tmp/$$ \"$0\""
        #expect(try run("/bin/bash", ["-c", rot, rotten]).status == 0)
        #expect(try copy().errors.contains("0 photos copied"), "nobody looks every hour")
        let again = try copy("--again")
        #expect(again.status == 0 && again.errors.contains("5 photos copied and read back"), "\(again.errors)")
        let mended = try run("/usr/bin/sha256sum", [rotten]).output.prefix(64)
        #expect(mended == photos.first?.record.file?.sha256 ?? "")

        // How old all that is stands where people look, and programs.
        #expect(rig.terminate("coordinator") == 0)
        try rig.startCoordinator()
        try rig.awaitReady(1)
        let status = try rig.volley("status", "--json").output
        #expect(status.contains(#""copies" : ["#) && status.contains(#""oldestReadAt""#), "\(status)")
        #expect(try rig.volley("metrics").output.contains("volley_library_copies_oldest_time_seconds{place=\"/"))
        try rig.awaitClean("top")
    }

    @Test("are not led out of their place by a link that somebody put there")
    func link() throws {
        let id = try fire(1)
        #expect(try copy("--new-place").status == 0)
        let path = try #require(try rig.capture(id).photos.first?.path)
        let day = path.split(separator: "/").prefix(2).joined(separator: "/")
        let (folder, elsewhere) = (rig.file("it's a NAS/" + day), rig.file("elsewhere"))
        try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
        let before = try FileManager.default.subpathsOfDirectory(atPath: elsewhere)
        _ = try fire(1)
        let refused = try copy()
        #expect(refused.status == 69 && refused.errors.contains("\(day) is a link"), "\(refused.errors)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: elsewhere) == before)
    }

    @Test("are not copied into a mount point without its disk, which has none of those that are known to be there")
    func unmounted() throws {
        let (place, disk) = (rig.file("it's a NAS"), rig.file("disk"))
        let files = FileManager.default
        _ = try fire(2)
        try files.removeItem(atPath: place)
        let missing = try copy()
        #expect(missing.status == 69 && missing.errors.contains("There is no folder"), "\(missing.errors)")
        #expect(!files.fileExists(atPath: place))
        try files.createDirectory(atPath: place, withIntermediateDirectories: false)
        #expect(try copy("--new-place").status == 0)

        try files.moveItem(atPath: place, toPath: disk)
        try files.createDirectory(atPath: place, withIntermediateDirectories: false)
        _ = try fire(1)
        for arguments in [[], ["--again"]] {
            let empty = try rig.volley(["copy", rig.library, place] + arguments)
            #expect(empty.status == 69 && empty.errors.contains("Is its disk mounted?"), "\(empty.errors)")
            #expect(try files.contentsOfDirectory(atPath: place).isEmpty)
        }
        // A second disk, which takes turns with the first: it has nothing yet.
        let other = try copy("--new-place")
        #expect(other.status == 0 && other.errors.contains("3 photos copied"), "\(other.errors)")
        try files.removeItem(atPath: place)
        try files.moveItem(atPath: disk, toPath: place)
        // The same place by another name.
        let back = try rig.program("volley", ["copy", rig.library, "./it's a NAS"])
        #expect(back.status == 0 && back.errors.contains("1 photo copied"), "\(back.errors)")
        #expect(back.errors.contains("has 3 of 3"), "\(back.errors)")
    }

    @Test("do not count where one is damaged here, and are left alone by a place that takes nothing")
    func refused() throws {
        let id = try fire(2)
        let path = try #require(try rig.capture(id).photos.first?.path)
        let file = rig.library + "/" + path
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        try Data(whole.dropLast()).write(to: URL(fileURLWithPath: file))
        let damaged = try copy("--new-place")
        #expect(
            damaged.status == 1 && damaged.errors.contains("\(path): damaged here, and no copy"), "\(damaged.errors)")
        #expect(damaged.errors.contains("has 1 of 2"), "\(damaged.errors)")
        try whole.write(to: URL(fileURLWithPath: file))
        #expect(try copy().status == 0)

        // What is damaged here later does not take the place of the copy.
        try Data(whole.dropLast()).write(to: URL(fileURLWithPath: file))
        let later = try copy("--again")
        #expect(later.status == 1 && later.errors.contains("damaged here; the copy is whole"), "\(later.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: rig.file("it's a NAS/" + path))) == whole)

        let nowhere = try rig.volley("copy", rig.library, "nowhere:volley", "--new-place")
        #expect(nowhere.status == 1 && nowhere.errors.contains("rclone failed"), "\(nowhere.errors)")
        #expect(try rig.volley("copy", rig.file("nodes"), rig.file("nas")).status == 78)
        #expect(try rig.volley("copy", rig.library, "--again").status == 64)
    }
}
