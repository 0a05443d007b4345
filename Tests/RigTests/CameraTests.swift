import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

@Suite("A rig whose cameras are set by hand", .rigTimeLimit)
struct CameraTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator(settings: "groups:\n  top: [top-*]\n")
        for (seed, name) in ["top-1", "top-2", "door"].enumerated() { try rig.startNode(name, seed: seed) }
        try rig.awaitReady(3)
    }

    private func states(_ arguments: String...) throws -> [CameraStateDocument] {
        let shown = try rig.volley(["camera", "show", "--json"] + arguments)
        try #require(shown.status == 0, "\(shown.errors)")
        return try JSONDecoder().decode([CameraStateDocument].self, from: Data(shown.output.utf8))
    }

    @Test("has what was set, read back, over restarts, and in photos, until it is reset")
    func kept() throws {
        let before = try states().compactMap(\.settings)
        #expect(before.count == 3)
        let set = try rig.volley(
            "camera", "set", "--group", "top", "exposureDuration=1/500", "iso=400", "lensPosition=0.25",
            "whiteBalance=1.5,1,2")
        #expect(set.status == 0, "\(set.errors)")
        let words =
            "exposureMode custom, exposureDuration 1/500 s, iso 400, focusMode locked, lensPosition 0.25, "
            + "whiteBalanceMode locked, whiteBalance 1.5,1,2"
        #expect(set.output.contains("top-1, top-2") && set.output.contains(words), "\(set.output)")
        rig.kill9("top-1")
        try rig.wait("the coordinator to miss it") { try !rig.isReady(3) }
        try rig.startNode("top-1", seed: 0)
        try rig.awaitReady(3)
        let now = try states()
        #expect(now.map(\.node?.rawValue) == ["door", "top-1", "top-2"])
        #expect(now[1].settings?.iso == 400 && now[1].settings?.exposureMode == .custom)
        #expect(now[1].kept?.lensPosition == 0.25 && now[1].settings?.lensPosition == 0.25)
        #expect(now[0].kept == nil && now[0].settings?.exposureMode == .continuousAutoExposure)
        let fired = try rig.volley("fire", "--single", "--nodes", "top-1", "--wait")
        let capture = try rig.capture(fired.output.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(capture.photos.first?.record.applied?.iso == 400)
        #expect(capture.photos.first?.record.applied?.duration?.nanoseconds == 2_000_000)
        #expect(try rig.volley("camera", "reset", "*").status == 0)
        let after = try states()
        #expect(after.allSatisfy { $0.kept == nil && $0.settings?.exposureMode == .continuousAutoExposure })
        #expect(after.map(\.settings?.lensPosition) == before.map(\.lensPosition))
        #expect(after.map(\.settings?.whiteBalance?.red) == before.map(\.whiteBalance?.red))
        #expect(after.map(\.settings?.whiteBalance?.blue) == before.map(\.whiteBalance?.blue))
        let audit = try rig.volley("audit", "--library", rig.library)
        #expect(audit.status == 0 && audit.output.contains("camera set") && audit.output.contains("camera reset"))
    }

    @Test("completes what a shell asks for: nodes, groups, captures and properties")
    func completions() throws {
        let fired = try rig.volley("fire", "--single", "--session", "monday", "--wait")
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let scriptPath = try rig.write("volley.bash", try rig.volley("--generate-completion-script", "bash").output)
        func completed(_ line: String) throws -> [String] {
            let words = "volley \(line)".split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
            let result = try run(
                "/bin/bash",
                [
                    "-c",
                    """
                    PATH=\(BuiltPrograms.folder.path):$PATH
                    source \(scriptPath)
                    COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
                    COMP_LINE="volley \(line)" COMP_POINT=${#COMP_LINE}
                    $(complete -p volley | sed 's/.* -F \\([^ ]*\\).*/\\1/') volley "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """,
                ], environment: rig.operatorEnvironment(), folder: rig.scratch.url)
            return result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(try completed("camera show to") == ["top-1", "top-2"])
        #expect(try completed("nodes identify d") == ["door"])
        #expect(try completed("camera set door lens") == ["lensPosition=", "lensStabilization="])
        #expect(try completed("show \(id.prefix(4))") == [id])
        #expect(try completed("captures --session m") == ["monday"])
        #expect(try completed("fire --single --group t") == ["top"])
    }

    @Test("refuses what a camera cannot, whom nobody is called, and what a capture counts on")
    func refused() throws {
        func expect(_ status: Int32, _ words: String, _ arguments: String...) throws {
            let result = try rig.volley(["camera"] + arguments)
            #expect(result.status == status && result.errors.contains(words), "\(result.status): \(result.errors)")
        }
        try expect(1, "ISO 1000000.0 is out of range", "set", "*", "iso=1000000", "lensPosition=0.1")
        #expect(try states().allSatisfy { $0.settings != nil && $0.kept == nil })
        try expect(65, "called tpo-*", "set", "tpo-*", "iso=200")
        try expect(64, "Did you mean lensPosition?", "set", "*", "lensPositoin=1")
        try expect(64, "Name the nodes", "set", "iso=200")
        try expect(64, "such as iso=200", "set", "door")
        try expect(64, "Name the nodes", "reset")
        let armed = try rig.volley("arm", "--single", "--nodes", "top-*")
        #expect(armed.status == 0, "\(armed.errors)")
        try expect(2, "is held for capture", "set", "*", "iso=200")
        #expect(try states().map { $0.kept?.iso } == [200, nil, nil], "the others have it")
        try expect(1, "has no", "focus", "door")
        let metered = try rig.volley("camera", "meter", "door")
        #expect(metered.status == 0 && metered.output.contains("exposureMode locked"), "\(metered.errors)")
    }
}
