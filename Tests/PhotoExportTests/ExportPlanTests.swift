import CaptureModel
import Foundation
import Testing

@testable import PhotoExport

@Suite("The plan of an export")
struct ExportPlanTests {
    private func photo(
        _ node: NodeName = "top", capture: Int64 = 1_795_727_132_943_120, step: Int = 1, serial: String? = "S",
        session: String? = "monday", format: PhotoFormat = .jpeg, bracket: Bracket? = nil,
        exposed: [StoredPhoto] = []
    ) throws -> ExportPhoto {
        let id = UniqueID(rawValue: capture)
        let summary = CaptureSummary(
            uniqueID: id, state: .complete, reason: nil, planName: "p", session: session, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: capture), nodeCount: 1, expectedPhotoCount: 1, storedPhotoCount: 1)
        let requested = ResolvedExposure(
            sequenceCount: step, exposureTargetBias: nil, duration: ExposureDuration(seconds: 0.004), iso: 100)
        var record = PhotoRecord(photoCount: step, sequenceCount: step, format: format, requested: requested)
        record.file = PhotoFile(
            byteCount: 1, sha256: String(repeating: "0", count: 64), dimensions: Dimensions(width: 64, height: 48),
            imageUniqueID: "")
        let camera = CameraUsed(
            cameraID: "c", modelID: "m", serialNumber: serial, pixelFormat: "YUYV",
            dimensions: Dimensions(width: 64, height: 48), software: nil)
        var detail = CaptureDetail(
            summary: summary, policy: "all", fireRigTime: nil, nodes: [], photos: exposed, events: [], spreads: [])
        detail.plan = bracket.map { Plan(name: "p", bracket: $0) }
        return try #require(
            ExportPhoto(
                StoredPhoto(node: node, record: record, path: "x"), of: detail, camera: camera, source: "x"))
    }

    private func paths(_ photos: [ExportPhoto], _ layout: ExportLayout, template: String? = nil) throws -> [String] {
        try ExportPlan(photos, adding: ExportManifest(layout: layout, template: template)).entries.map(\.path)
    }

    private func problem(_ photos: [ExportPhoto], _ layout: ExportLayout, template: String? = nil) -> String? {
        do throws(ExportPlan.Problem) {
            _ = try ExportPlan(photos, adding: ExportManifest(layout: layout, template: template))
            return nil
        } catch {
            return error.message
        }
    }

    @Test("numbers cameras and instants, and those that have a number keep it")
    func numbers() throws {
        let later = 1_795_727_200_000_000 as Int64
        let first = try ExportPlan(
            [photo("node-10"), photo("node-2"), photo("node-10", capture: later)],
            adding: ExportManifest(layout: .meshroom))
        #expect(
            first.entries.map(\.path)
                == ["rig/1/frame_000001.jpg", "rig/0/frame_000001.jpg", "rig/1/frame_000002.jpg"])
        // A node that sorts before the others, and a capture that was taken before them.
        let second = try ExportPlan(
            [photo("a"), photo("node-10", capture: 1_795_000_000_000_000)], adding: first.manifest)
        #expect(second.entries.map(\.path) == ["rig/2/frame_000001.jpg", "rig/1/frame_000003.jpg"])
    }

    @Test("names a bracket's photos by what was exposed where the plan leaves a step as the camera was set")
    func exposed() throws {
        let bracket = try Bracket([
            .manualExposure(exposureDuration: .value(ExposureDuration(seconds: 1.0 / 30)), iso: .value(100)),
            .manualExposure(exposureDuration: .current, iso: .value(100)),
            .manualExposure(exposureDuration: .value(ExposureDuration(seconds: 1.0 / 1000)), iso: .value(100)),
        ])
        let durations: [Double] = [1.0 / 30, 1.0 / 162, 1.0 / 1000]
        let stored = durations.enumerated().map { index, seconds -> StoredPhoto in
            let requested = ResolvedExposure(
                sequenceCount: index + 1, exposureTargetBias: nil, duration: ExposureDuration(seconds: seconds),
                iso: 100)
            let record = PhotoRecord(
                photoCount: index + 1, sequenceCount: index + 1, format: .jpeg, requested: requested)
            return StoredPhoto(node: "top", record: record, path: "x")
        }
        let order = try (1...3).map {
            try paths([photo(step: $0, bracket: bracket, exposed: stored)], .hdr)[0].suffix(7)
        }
        #expect(order == ["b02.jpg", "b01.jpg", "b00.jpg"])
    }

    @Test("names a bracket's photos in ascending exposure, whichever of them are there")
    func ascending() throws {
        let bracket = try Bracket([0, -2, 2].map { .autoExposure(exposureTargetBias: .value($0)) })
        let found = try paths([photo(step: 3, bracket: bracket), photo(step: 2, bracket: bracket)], .hdr)
        #expect(found == ["1795727132943120/top/b02.jpg", "1795727132943120/top/b00.jpg"])
        let manual = try Bracket(
            [(60, 100), (250, 100), (250, 400), (1000, 1600)].map { divisor, iso in
                .manualExposure(
                    exposureDuration: .value(ExposureDuration(nanoseconds: 1_000_000_000 / divisor)), iso: .value(iso))
            })
        let order = try (1...4).map { try paths([photo(step: $0, bracket: manual)], .hdr)[0].suffix(7) }
        #expect(order == ["b03.jpg", "b00.jpg", "b01.jpg", "b02.jpg"])
    }

    @Test("gives cameras that share a serial number others, in what can take them")
    func serial() throws {
        func tagged(_ photos: [ExportPhoto]) throws -> [Bool] {
            try ExportPlan(photos, adding: ExportManifest(layout: .meshroom)).entries.map { $0.tags != nil }
        }
        #expect(try tagged([photo(serial: "1"), photo("door", serial: "2")]) == [false, false])
        #expect(try tagged([photo(serial: "1"), photo("door", serial: "1"), photo("x")]) == [true, true, false])
        // Those that have none are told apart by their folders.
        #expect(try tagged([photo(serial: nil), photo("door", serial: nil)]) == [false, false])
        let raw = [try photo(serial: "1", format: .dng), try photo("door", serial: "1", format: .dng)]
        #expect(problem(raw, .meshroom)?.contains("--format jpeg") == true)
        #expect(try problem([photo(format: .tiff)], .odm)?.contains("--format jpeg") == true)
    }

    @Test("gives nobody a name that another photo has in the folder already")
    func former() throws {
        var manifest = ExportManifest(layout: .files, template: "{session}/{node}.{ext}")
        manifest = try ExportPlan([photo()], adding: manifest).finished
        let again = try ExportPlan([photo()], adding: manifest).entries.map(\.path)
        #expect(again == ["monday/top.jpg"])
        #expect(throws: ExportPlan.Problem.self) {
            try ExportPlan([photo("Top", capture: 1_795_727_200_000_000)], adding: manifest)
        }
    }

    @Test("writes a manifest that a reader of JSON has again")
    func manifest() throws {
        var manifest = try ExportPlan(
            [photo(), photo("door", session: "Söhne & \u{2028}", format: .dng)],
            adding: ExportManifest(layout: .files, template: "{session}\u{1F4F7}/{node}, '{step}'")
        )
        .finished
        manifest.files[0].gain = 1e-7
        (manifest.files[1].verification, manifest.files[1].originalSHA256) = ("verified", manifest.files[1].sha256)
        (manifest.files[1].exposureSeconds, manifest.files[1].iso, manifest.files[1].widthPixels) = (nil, nil, nil)
        manifest.pending = [manifest.files[1]]
        for manifest in [manifest, ExportManifest(layout: .colmap)] {
            #expect(try JSONDecoder().decode(ExportManifest.self, from: Data(manifest.text)) == manifest)
        }
    }

    @Test(
        "refuses names that are none",
        arguments: [
            ("../{node}.{ext}", "leads elsewhere"), ("{node}/./{step}", "leads elsewhere"), ("a//{node}", "is empty"),
            ("{node}/", "is empty"), ("aux.{node}", "Windows keeps 'aux'"), ("COM3/{node}", "Windows keeps 'com3'"),
            ("{node}.", "does not keep"), (" {node}", "does not keep"), ("{node}:{step}", "does not take"),
            ("{subject}", "has no subject"), ("{take}{node}", "has no take"), ("{x}", "no field {x}"), ("}", "'}'"),
            ("", "empty"), ("volley-export.json", "the export's own"), ("Lock/{node}", "the export's own"),
            ("originals/{node}", "the export's own"), ("{node}.part", "on their way"), ("constant", "would both be"),
            (String(repeating: "n", count: 256), "longer than 255"),
        ])
    func refused(template: String, words: String) throws {
        let said = try problem([photo(), photo("door")], .files, template: template)
        #expect(said?.contains(words) == true, "\(said ?? "")")
    }

    @Test("dates what was taken after midnight where it was taken on the day that it was there")
    func days() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (utc, local) in [
            ("2026-07-13T22:30:00", "2026-07-14 00-30-00"), ("2026-12-13T22:30:00", "2026-12-13 23-30-00"),
        ] {
            let seconds = try #require(ISO8601DateFormatter().date(from: utc + "Z")).timeIntervalSince1970
            let taken = try photo(capture: Int64(seconds) * 1_000_000)
            let entries = try FileTemplate("{date} {time}") { time in
                berlin.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.rawValue) / 1e6))
            }.arrange([taken])
            #expect(entries.map(\.path) == [local])
        }
    }

    @Test("takes names for one that differ in case, or in how an accent is written")
    func sameNames() throws {
        #expect(try problem([photo("Top"), photo("top")], .files, template: "{node}.{ext}") != nil)
        let accents = [try photo("a", session: "e\u{301}"), try photo("b", session: "\u{E9}")]
        #expect(problem(accents, .files, template: "{session}.{ext}") != nil)
        #expect(try paths([photo(session: "a/b:c")], .files, template: "{session}_{step}.{ext}") == ["a_b_c_01.jpg"])
    }
}

extension ExportPlan {
    /// What the folder holds once it is carried out.
    fileprivate var finished: ExportManifest {
        var manifest = manifest
        manifest.files = entries.map(\.file)
        return manifest
    }
}
