import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("What a plan sets beside its bracket")
struct NodeSettingsTests {
    private func settings(_ nodes: [NodePattern]?, _ groups: [String]? = nil, iso: Double) -> NodeSettings {
        var settings = NodeSettings()
        (settings.nodes, settings.groups, settings.camera.iso) = (nodes, groups, iso)
        return settings
    }

    private var sensitive: CameraCapabilities {
        var sensitive = camera
        sensitive.isoRange = 100...800
        return sensitive
    }

    @Test("is sent to each node for itself alone")
    func own() throws {
        var rig = Rehearsal(groups: [NodeGroup(name: "ring", nodes: ["b"])])
        try rig.join("a", "b", camera: sensitive)
        let id = try rig.fire(.all) {
            $0.settings = [settings(nil, iso: 100), settings(nil, ["ring"], iso: 400), settings(["a"], iso: 200)]
        }.get()
        func sent(_ node: NodeName) -> NodeSettings? { rig.prepares(node).last?.plan.settings?.first }
        #expect(sent("a")?.camera.iso == 200 && sent("b")?.camera.iso == 400)
        #expect(sent("a")?.nodes == nil && sent("b")?.groups == nil)
        _ = id
    }

    @Test("is refused before anything is fired where one camera's range does not have it, and the others' do")
    func outOfRange() throws {
        var rig = Rehearsal()
        var poor = sensitive
        poor.isoRange = 100...200
        try rig.join("a", camera: sensitive)
        try rig.join("b", camera: poor)
        guard case .failure(let refusal) = try rig.fire(.all, change: { $0.settings = [settings(nil, iso: 400)] })
        else {
            return #expect(Bool(false))
        }
        #expect(refusal.code == .invalid && refusal.says("The plan sets ISO 400.0; simulated:1 takes 100.0 to 200.0."))
        #expect(try rig.fire(.all, request: "s") { $0.settings = [settings(["a"], iso: 400)] }.get().rawValue > 0)
    }

    @Test("names nodes and groups that there are")
    func strangers() throws {
        var rig = Rehearsal()
        try rig.join("a", camera: sensitive)
        for (nodes, groups) in [(["x"], nil), (nil, ["ring"])] as [([NodePattern]?, [String]?)] {
            guard
                case .failure(let refusal) = try rig.fire(
                    .all, request: "\(String(describing: nodes))",
                    change: { $0.settings = [settings(nodes, groups, iso: 100)] })
            else { return #expect(Bool(false)) }
            #expect(refusal.says("which the rig does not have"), "\(refusal)")
        }
    }

    @Test("is not fired by a node whose release would leave it out")
    func olderNode() throws {
        var rig = Rehearsal()
        try rig.join("a", camera: sensitive)
        let id = try rig.fire(.all) { $0.settings = [settings(nil, iso: 100)] }.get()
        // As the rehearsal's nodes answer, which say nothing of settings.
        try rig.prepared("a", id)
        #expect(rig.fires().isEmpty && rig.state(id)?.reason?.contains("knows no settings") == true)
    }

    @Test("is what stands later, also between an ISO and a gain, which are two words for one control")
    func later() throws {
        var plan = Plan(name: "p", bracket: try .burst(1))
        var gain = NodeSettings()
        (gain.nodes, gain.camera.gain) = (["usb-*"], 64)
        plan.settings = [settings(nil, iso: 100), gain]
        let merged = plan.settings(of: "usb-1", [])
        #expect(merged?.camera.iso == nil && merged?.camera.gain == 64)
        #expect(plan.settings(of: "a", [])?.camera.iso == 100)
    }

    @Test("counts with pictures that are larger than the stream's")
    func size() throws {
        var rig = Rehearsal()
        try rig.join("a")
        var large = NodeSettings()
        large.maxPhotoDimensions = Dimensions(width: 1920, height: 1080)
        let byteCount = 1920 * 1080 * 2
        for (request, settings, isTaken) in [("r", [large], true), ("s", nil, false)]
            as [(String, [NodeSettings]?, Bool)]
        {
            let id = try rig.fire(.all, request: request) { $0.settings = settings }.get()
            try rig.prepared("a", id) { $0.hasSettings = true }
            rig.pulls = []
            try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1) { event in
                event.photo?.file = PhotoFile(
                    byteCount: byteCount, sha256: String(repeating: "a", count: 64),
                    dimensions: Dimensions(width: 1920, height: 1080), imageUniqueID: "x")
            }
            #expect(rig.pulls.isEmpty != isTaken)
            rig.take(.cancelRequested(rig.caller, id))
            try rig.event("a", id, 2, .didFinishCapture, error: CaptureError(.stalled, ""))
            rig.arrive("a")
        }
    }

    @Test("has a camera that cannot do what the others can deliver what it can")
    func formats() throws {
        var rig = Rehearsal(groups: [NodeGroup(name: "webcams", nodes: ["b"])])
        var bayer = camera
        bayer.formats = [.jpeg, .dng]
        try rig.join("a", camera: bayer)
        try rig.join("b")
        guard case .failure(let refusal) = try rig.fire(.all, change: { $0.formats = [.jpeg, .dng] }) else {
            return #expect(Bool(false))
        }
        #expect(refusal.code == .invalid)
        var own = NodeSettings()
        (own.groups, own.formats) = (["webcams"], [.jpeg])
        let id = try rig.fire(.all, request: "s") { ($0.formats, $0.settings) = ([.jpeg, .dng], [own]) }.get()
        let (a, b) = (try #require(rig.prepares("a").last?.plan), try #require(rig.prepares("b").last?.plan))
        #expect(a.formats == [.jpeg, .dng] && b.formats == [.jpeg])
        // Nothing else is set: a node of any release does it.
        #expect(a.settings == nil && b.settings == nil)
        let accepted = rig.changes.lazy.compactMap { change -> NewCapture? in
            if case .capture(let new) = change, new.uniqueID == id { new } else { nil }
        }.first
        #expect(accepted?.formats == ["b": [.jpeg]])
    }

    @Test("counts what a node owes as it was told to, whatever the rig's groups are when the coordinator is back")
    func formatsOfAFormerRun() async throws {
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        var own = NodeSettings()
        (own.groups, own.formats) = (["webcams"], [.jpeg])
        var plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg, .dng])
        plan.settings = [own]
        let summary = CaptureSummary(
            uniqueID: id, state: .firing, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: id.rawValue), nodeCount: 1, expectedPhotoCount: 1, storedPhotoCount: 0)
        let detail = CaptureDetail(
            summary: summary, policy: "all", fireRigTime: RigTime(nanoseconds: 1),
            nodes: [CaptureNodeDetail(node: "b", state: .firing, reason: nil, expectedPhotoCount: 1)], photos: [],
            events: [], spreads: [])
        var rig = Rehearsal()
        try rig.join("b")
        rig.take(.loaded(id, LoadedCapture(detail: detail, plan: plan, phases: ["b": .owing])))
        for (sequence, kind) in [CaptureEventKind.willBeginCapture, .willCapturePhoto, .didCapturePhoto].enumerated() {
            try rig.event("b", id, sequence + 1, kind)
        }
        try rig.event("b", id, 4, .didFinishProcessingPhoto, photo: 1, error: CaptureError(.deviceFailed, "broken"))
        try rig.event("b", id, 5, .didFinishCapture)
        #expect(rig.state(id)?.state == .failed, "one photo was owed, and no second one is waited for")
    }

    @Test("turns a stabiliser on alone, and leaves modes to the hand")
    func refused() throws {
        for change in [
            { $0.camera.isLensStabilizationOn = false }, { $0.camera.focusMode = .continuousAutoFocus },
            { ($0.camera.iso, $0.camera.gain) = (100, 1) }, { $0.camera.lensPosition = 2 },
        ] as [(inout NodeSettings) -> Void] {
            var plan = Plan(name: "p", bracket: try .burst(1))
            var settings = NodeSettings()
            change(&settings)
            plan.settings = [settings]
            #expect(plan.problem != nil, "\(settings)")
        }
    }
}
