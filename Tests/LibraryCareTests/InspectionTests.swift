import CaptureModel
import Catalogue
import Foundation
import Library
import LibraryCare
import Testing

@Suite("A catalogue that was restored from a copy")
struct InspectionTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    private let first = UniqueID(rawValue: 1_800_000_000_000_000)
    private let second = UniqueID(rawValue: 1_800_000_005_000_000)

    private func accepted(_ id: UniqueID, _ requestID: String = "same") throws -> [CatalogueChange] {
        let capture = NewCapture(
            uniqueID: id, requestID: requestID, firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(1)),
            createdAt: UTCTime(rawValue: id.rawValue), nodes: ["a"])
        return [.node(name: "a", nil, at: 1), .capture(capture)]
    }

    /// The second capture's one photo.
    private func stored(_ path: String) -> [CatalogueChange] {
        var photo = PhotoRecord(
            photoCount: 1, sequenceCount: 1, format: .jpeg,
            requested: ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil))
        photo.file = PhotoFile(
            byteCount: 1, sha256: String(repeating: "a", count: 64), dimensions: Dimensions(width: 1, height: 1),
            imageUniqueID: "")
        let event = CaptureEvent(
            uniqueID: second, sequence: 1, kind: .didFinishProcessingPhoto, time: MonotonicTime(nanoseconds: 1),
            photo: photo)
        return [
            .event(node: "a", event),
            .photoStored(PhotoID(uniqueID: second, node: "a", photoCount: 1), path: path, at: 1),
        ]
    }

    private func repaired(_ more: [CatalogueChange]) async throws -> [UniqueID] {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        // What the request became: accepted, so it has its archive.
        let lost = try Catalogue(inMemory: "lost-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await lost.commit(try accepted(second))
        try await library.keep(second, as: lost)
        // The copy is of a moment when it was another capture.
        let copy = try Catalogue(inMemory: "copy-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await copy.commit(try accepted(first) + more)
        let inspection = LibraryInspection(library.folder, copy)
        _ = try await inspection.repair(inspection.findings(isThorough: false), now: UTCTime(rawValue: second.rawValue))
        return try await copy.ids(sinceOrUnfinished: nil)
    }

    @Test("has the capture that its request became, not the one that was refused")
    func refused() async throws {
        #expect(try await repaired([]) == [second])
    }

    @Test("is looked over whole, also where a start before this one was cut short")
    func cutShort() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let day: Int64 = 86_400_000_000
        let library = try Library(root: root)
        let lost = try Catalogue(inMemory: "lost-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await lost.commit(try accepted(second))
        try await library.keep(second, as: lost)
        _ = try await library.beginRun(startedAt: UTCTime(rawValue: first.rawValue), formerRun: nil)
        // Two starts with the copy, days later; the first one came to nothing.
        let name = "copy-\(UUID())"
        let starts = try [5, 6].map {
            try Catalogue(
                inMemory: name, startedAt: UTCTime(rawValue: first.rawValue + $0 * day),
                rigTime: RigTime(nanoseconds: 0))
        }
        let inspection = LibraryInspection(library.folder, starts[1])
        #expect(try await inspection.findingsSinceFormerRun().map(\.uniqueID) == [second])
        // Once a run has begun, the next one leaves alone what was whole before it.
        _ = try await library.beginRun(startedAt: UTCTime(rawValue: first.rawValue + 5 * day), formerRun: nil)
        #expect(try await inspection.findingsSinceFormerRun().isEmpty)
    }

    @Test("says that it is another one, also after a start that took captures from their archives and was cut short")
    func cutShortLater() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        // The run after the copy, the library's last: its anchor comes with the archive.
        let last = try Catalogue(
            inMemory: "last-\(UUID())", startedAt: UTCTime(rawValue: first.rawValue), rigTime: RigTime(nanoseconds: 0))
        try await last.commit(try accepted(second))
        try await library.keep(second, as: last)
        _ = try await library.beginRun(startedAt: UTCTime(rawValue: first.rawValue), formerRun: nil)
        let name = "copy-\(UUID())"
        let start = try Catalogue(
            inMemory: name, startedAt: UTCTime(rawValue: second.rawValue), rigTime: RigTime(nanoseconds: 0))
        let inspection = LibraryInspection(library.folder, start)
        _ = try await inspection.repair(inspection.findingsSinceFormerRun(), now: UTCTime(rawValue: second.rawValue))
        #expect(try await start.capture(second) != nil)
        let next = try Catalogue(
            inMemory: name, startedAt: UTCTime(rawValue: second.rawValue + 1), rigTime: RigTime(nanoseconds: 0))
        #expect(try next.formerRunStart() == UTCTime(rawValue: second.rawValue))
    }

    @Test("leaves alone what cannot be read, and looks at the others")
    func unreadable() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let catalogue = try Catalogue(inMemory: "one-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await catalogue.commit(try accepted(second))
        let folder = "\(root)/\(LibraryPath.folder(of: second, createdAt: UTCTime(rawValue: second.rawValue)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let archive = folder + "/capture.json"
        try FileManager.default.createSymbolicLink(atPath: archive, withDestinationPath: archive)
        let other = "\(root)/photos/2027-01-15/\(first)"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: other + "/capture.json", withDestinationPath: other + "/capture.json")
        let inspection = LibraryInspection(library.folder, catalogue)
        let findings = try await inspection.findings(isThorough: true)
        #expect(findings.count == 2)
        let repairs = try await inspection.repair(findings, now: 1)
        #expect(repairs.map(\.outcome) == [.left, .left], "\(repairs)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: archive) == archive)
    }

    /// What of an archive, or of its folder, is replaced by what.
    @Test(
        "leaves where it is what belongs to an archive that cannot be taken, and takes the others",
        arguments: [
            (#""version":1"#, #""version":2"#), ("{", "?"), (#""unique_id":1800000005"#, #""unique_id":1800000006"#),
            (#""bracket_kind":"burst"#, #""bracket_kind":"newer"#), (#""plan":""#, #""plan":"?"#),
            ("2027-01-15/1800000005", "2027-01-16/1800000005"),
        ])
    func untakable(old: String, new: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let lost = try Catalogue(inMemory: "lost-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let end = CaptureEvent(
            uniqueID: second, sequence: 1, kind: .didFinishCapture, time: MonotonicTime(nanoseconds: 1),
            error: CaptureError(.stalled, ""))
        try await lost.commit(try accepted(first, "1") + accepted(second, "2") + [.event(node: "a", end)])
        for id in [first, second] { try await library.keep(id, as: lost) }
        let home = "\(root)/\(LibraryPath.folder(of: second, createdAt: UTCTime(rawValue: second.rawValue)))"
        let folder = home.replacingOccurrences(of: old, with: new)
        let isMoved = folder != home
        if isMoved {
            try FileManager.default.createDirectory(
                atPath: (folder as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: home, toPath: folder)
        }
        let archive = folder + "/capture.json"
        let text = try String(contentsOfFile: archive, encoding: .utf8)
        try text.replacingOccurrences(of: old, with: new).write(toFile: archive, atomically: true, encoding: .utf8)
        #expect(FileManager.default.createFile(atPath: folder + "/a.jpg", contents: Data([1])))
        let catalogue = try Catalogue(inMemory: "new-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let inspection = LibraryInspection(library.folder, catalogue)
        let repairs = try await inspection.repair(
            inspection.findings(isThorough: true), now: UTCTime(rawValue: second.rawValue))
        #expect(repairs.map(\.outcome) == [.done, .left], "\(repairs)")
        #expect(repairs.last?.withheld == (isMoved ? nil : second))
        #expect(try await catalogue.ids(sinceOrUnfinished: nil) == [first])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.jpg", "capture.json"])
    }

    @Test("does not take a copy of a day for the day, nor a file in the way of one for the end")
    func copies() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let catalogue = try Catalogue(inMemory: "one-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let later = UniqueID(rawValue: second.rawValue + 86_400_000_000)
        try await catalogue.commit(try accepted(second, "1") + accepted(later, "2"))
        try await library.keep(second, as: catalogue)
        for copy in ["2027-01-15.bak", "2027-01-17"] {
            try FileManager.default.copyItem(atPath: root + "/photos/2027-01-15", toPath: "\(root)/photos/\(copy)")
        }
        #expect(FileManager.default.createFile(atPath: root + "/photos/2027-01-16", contents: nil))
        let inspection = LibraryInspection(library.folder, catalogue)
        let findings = try await inspection.findings(isThorough: true)
        let (home, copy) = ("photos/2027-01-15/\(second)", "photos/2027-01-17/\(second)")
        #expect(
            findings == [
                .misplaced(second, folder: copy, home: home),
                .unarchived(later, folder: LibraryPath.folder(of: later, createdAt: UTCTime(rawValue: later.rawValue))),
            ])
        let repairs = try await inspection.repair(findings, now: UTCTime(rawValue: later.rawValue))
        #expect(repairs.map(\.outcome) == [.left, .done, .left] && repairs[0].withheld == nil, "\(repairs)")
    }

    @Test("loses nothing of a capture whose folder was moved to another day, however often it looks")
    func moved() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let catalogue = try Catalogue(inMemory: "one-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let home = LibraryPath.folder(of: second, createdAt: UTCTime(rawValue: second.rawValue))
        let path = "\(home)/a.jpg"
        try await catalogue.commit(try accepted(second) + stored(path))
        try await library.keep(second, as: catalogue)
        #expect(FileManager.default.createFile(atPath: "\(root)/\(path)", contents: Data([1])))
        // Among days at which a start does not look.
        let other = "photos/2027-01-02/\(second)"
        try FileManager.default.createDirectory(atPath: root + "/photos/2027-01-02", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(root)/\(home)", toPath: "\(root)/\(other)")
        let inspection = LibraryInspection(library.folder, catalogue)
        let day = UTCTime(rawValue: first.rawValue)
        for (since, hasHome) in [(day, false), (nil, false), (nil, true), (day, true)] {
            // One that is not over may have gone on at home.
            if hasHome {
                try FileManager.default.createDirectory(atPath: "\(root)/\(home)", withIntermediateDirectories: true)
                try await library.keep(second, as: catalogue)
            }
            let findings = try await inspection.findings(since: since, isThorough: false)
            #expect(findings == [.misplaced(second, folder: other, home: home)])
            let repairs = try await inspection.repair(findings, now: UTCTime(rawValue: second.rawValue))
            #expect(repairs.map(\.outcome) == [.left], "\(repairs)")
            #expect(FileManager.default.fileExists(atPath: "\(root)/\(home)") == hasHome)
            #expect(try await catalogue.capture(second)?.photos.map(\.path) == [path])
        }
        // Nor where its archive is all that there is of it at home.
        let anew = try Catalogue(inMemory: "anew-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let rebuild = LibraryInspection(library.folder, anew)
        let repairs = try await rebuild.repair(
            rebuild.findings(isThorough: true), now: UTCTime(rawValue: second.rawValue))
        #expect(repairs.map(\.outcome) == [.left, .done, .left], "\(repairs)")
        #expect(try await anew.capture(second)?.photos.map(\.path) == [path])
    }

    @Test("has its photos elsewhere rather than lost where there is none at all, and remembers what was left")
    func away() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let started = UTCTime(rawValue: first.rawValue)
        let catalogue = try Catalogue(inMemory: "a-\(UUID())", startedAt: started, rigTime: RigTime(nanoseconds: 0))
        try await catalogue.commit(try accepted(second) + stored("photos/x"))
        let inspection = LibraryInspection(library.folder, catalogue)
        await #expect(throws: LibraryInspection.PhotosAway.self) { try await inspection.findings(isThorough: false) }
        let first = try await library.beginRun(startedAt: started, formerRun: nil)
        #expect(try library.folder.lastRun() == started)
        // What was left is looked at again, but it is the same catalogue.
        for (run, isWhole) in [(1000, false), (2000, false), (3000, true)] as [(Int64, Bool)] {
            let next = try await library.beginRun(
                startedAt: started + run, formerRun: started + (run - 1000), isWhole: isWhole)
            #expect(next.history == first.history)
            #expect(try library.folder.lastRun() == (isWhole ? started + run : nil))
        }
    }

    @Test("leaves alone what others put beside photos, and puts aside what has a photo's name and no row")
    func foreign() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try Library(root: root)
        let catalogue = try Catalogue(inMemory: "one-\(UUID())", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let end = CaptureEvent(
            uniqueID: first, sequence: 1, kind: .didFinishCapture, time: MonotonicTime(nanoseconds: 1),
            error: CaptureError(.stalled, ""))
        try await catalogue.commit(
            accepted(first) + [
                .event(node: "a", end),
                .captureState(first, .failed, reason: "stalled", fireRigTime: nil, at: 1),
            ])
        try await library.keep(first, as: catalogue)
        func write(_ path: String) throws {
            let url = URL(fileURLWithPath: root).appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1]).write(to: url)
        }
        let home = LibraryPath.folder(of: first, createdAt: UTCTime(rawValue: first.rawValue))
        let foreign = [
            "a_\(first)_01.xmp", "a_\(first)_01.jpg.out.pp3", "a_\(first)_01 (1).jpg", "notes.txt",
            "IMG_\(second)_01.jpg",
            "darktable_exported/a_\(first)_01.jpg",
        ]
        for name in foreign { try write("\(home)/\(name)") }
        try write("\(home)/cam_2_\(first)_01.jpg")
        // What a running rig writes at this moment, or one that was killed has left.
        let unfinished = "\(home)/capture.json.part"
        try write(unfinished)
        // A folder with an id that the catalogue does not know, and with nothing of ours in it.
        try write("\(LibraryPath.folder(of: second, createdAt: UTCTime(rawValue: second.rawValue)))/contact-sheet.pdf")
        let inspection = LibraryInspection(library.folder, catalogue)
        let findings = try await inspection.findings(isThorough: true)
        #expect(findings == [.stray(first, path: "\(home)/cam_2_\(first)_01.jpg")])
        #expect(try await inspection.findings(isThorough: false).contains(.stray(first, path: unfinished)))
        _ = try await inspection.repair(findings, now: 2)
        for name in foreign { #expect(FileManager.default.fileExists(atPath: "\(root)/\(home)/\(name)"), "\(name)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/quarantine").count == 1)
        let named = try library.folder.foreignFiles()
        #expect(named.count == foreign.count + 1 && named.contains("\(home)/notes.txt"), "\(named)")
    }

    @Test("keeps a capture of which something happened")
    func happened() async throws {
        let event = CaptureEvent(
            uniqueID: first, sequence: 1, kind: .willBeginCapture, time: MonotonicTime(nanoseconds: 1))
        #expect(try await repaired([.event(node: "a", event)]) == [first])
    }
}
