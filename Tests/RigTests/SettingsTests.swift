import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A plan that sets cameras", .rigTimeLimit)
struct SettingsTests {
    @Test("has each take what it says for it, proves it, and leaves them as they were")
    func settings() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for (number, name) in ["north", "south"].enumerated() { try rig.startNode(name, seed: number + 1) }
        try rig.awaitReady(2)
        let before = try rig.volley("camera", "show", "north").output
        let plan = try rig.write(
            "plan.yaml",
            """
            bracket: {burst: 2}
            settings:
              - {exposureDuration: 1/100, iso: 100}
              - {nodes: [south], exposureDuration: 1/160, whiteBalance: 3200K, thumbnail: 160x120}
            """)
        let fired = try rig.volley("fire", plan, "--wait")
        #expect(fired.status == 0, "\(fired.errors)")
        let capture = try rig.capture("last")
        for photo in capture.photos {
            let wanted: Int64 = photo.node == "south" ? 6_250_000 : 10_000_000
            #expect(photo.record.requested.duration?.nanoseconds == wanted)
            #expect(photo.record.verification == .verified, "\(photo.record)")
            let isWhite = photo.record.appliedWhiteBalance == photo.record.requested.whiteBalance
            #expect(photo.node == "north" || isWhite && photo.record.requested.whiteBalance != nil)
        }
        // A viewer finds the thumbnail.
        let path = try #require(capture.photos.first { $0.node == "south" }?.path)
        let thumbnail = try run(
            "/bin/bash", ["-c", "exiftool -b -ThumbnailImage \"$0\" | wc -c", "\(rig.library)/\(path)"])
        #expect(Int(thumbnail.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 500)
        #expect(try rig.volley("show", "last", "--json").output.contains("\"exposureDuration\""))
        let refused = try rig.write("refused.yaml", "bracket: {burst: 2}\nsettings: {nodes: [north], iso: 90000}\n")
        let answer = try rig.volley("fire", refused)
        #expect(answer.status == 65 && answer.errors.contains("The plan sets ISO 90000"), "\(answer.errors)")
        // The automatic may have moved meanwhile, but it is the automatic again.
        let after = try rig.volley("camera", "show", "north").output
        func modes(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.contains("Mode") } }
        #expect(modes(after) == modes(before))
    }

    @Test("with a size that a camera does not offer says which it offers")
    func size() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\nsettings: {size: 1920x1080}\n")
        let fired = try rig.volley("fire", plan, "--wait")
        #expect(
            fired.status == 1 && fired.errors.contains("no photos of 1920x1080; it offers 640x480"), "\(fired.errors)")
        #expect(try rig.volley("fire", "--single", "--wait").status == 0)
    }
}
