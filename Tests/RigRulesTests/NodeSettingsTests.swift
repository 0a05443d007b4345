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
}
