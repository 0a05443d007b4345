import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("Cameras that an operator sets by hand")
struct CameraTests {
    private var rig = Rehearsal(groups: [NodeGroup(name: "top", nodes: ["top-*"])])
    private static let settings: CameraSettings = {
        var settings = CameraSettings()
        settings.iso = 200
        return settings
    }()

    init() throws { try rig.join("top-1", "top-2", "door") }

    private mutating func ask(
        _ nodes: [NodePattern]? = nil, groups: [String]? = nil, act: CameraOrder.Act = .set,
        settings: CameraSettings? = Self.settings
    ) {
        (rig.replies, rig.sent) = ([], [])
        rig.take(
            .cameraRequested(rig.caller, CameraRequest(nodes: nodes, groups: groups, act: act, settings: settings)))
    }

    private var orders: [(node: NodeName, order: CameraOrder)] {
        rig.sent.compactMap { if case .camera(let order) = $0.message { ($0.node, order) } else { nil } }
    }

    private var answers: [CameraReply.Answer]? {
        rig.replies.lazy.compactMap { if case .cameras(let reply) = $0 { reply.nodes } else { nil } }.first
    }

    private var refusal: String? {
        rig.replies.lazy.compactMap { if case .refused(let refusal) = $0 { refusal.message } else { nil } }.first
    }

    private mutating func report(_ node: NodeName, _ number: Int, _ error: CaptureError? = nil) throws {
        let state = CameraState(camera: camera, current: Self.settings)
        try rig.from(node, .camera(CameraReport(number: number, state: error == nil ? state : nil, error: error)))
    }

    @Test("are those that are named, and the answer has each of them once")
    func named() throws {
        var test = self
        test.ask(["door"], groups: ["top"])
        #expect(test.orders.map(\.node) == ["door", "top-1", "top-2"])
        #expect(Set(test.orders.map(\.order.number)).count == 1 && test.orders[0].order.settings == Self.settings)
        let number = test.orders[0].order.number
        try test.report("top-1", number)
        try test.report("top-1", number)
        let error = CaptureError(.unsupportedSettings, "ISO 200 is out of range")
        try test.report("door", number, error)
        #expect(test.answers == nil, "one is still to come")
        try test.report("top-2", number)
        #expect(test.answers?.map(\.node) == ["door", "top-1", "top-2"])
        #expect(test.answers?[0].error == error && test.answers?[1].state?.current.iso == 200)
        try test.report("top-2", number)
        #expect(test.rig.replies.count == 1, "what comes twice is heard once")
        test.ask(act: .show, settings: nil)
        #expect(test.orders.count == 3 && test.orders.allSatisfy { $0.order.settings == nil })
    }

    @Test("are refused before anything is done where the request cannot be meant")
    func refused() throws {
        var test = self
        var odd = Self.settings
        odd.exposureMode = .autoExpose
        var nan = CameraSettings()
        nan.iso = .nan
        let cases: [([NodePattern]?, [String]?, CameraSettings?, String)] = [
            (["tpo-*"], nil, Self.settings, "No camera was set: no node of the rig is called tpo-*"),
            (nil, ["ring"], Self.settings, "no group 'ring'"), ([], nil, Self.settings, "leave both out"),
            (["*"], nil, nil, "no settings"), (["*"], nil, CameraSettings(), "no settings"),
            (["*"], nil, odd, "chooses the exposure by itself"), (["*"], nil, nan, "outside what any camera can have"),
        ]
        for (nodes, groups, settings, words) in cases {
            test.ask(nodes, groups: groups, settings: settings)
            #expect(test.refusal?.contains(words) == true, "\(test.refusal ?? "accepted")")
            #expect(test.orders.isEmpty)
        }
    }

    @Test("of nodes that are away, that go, or that say nothing, are told as such")
    func away() throws {
        var test = self
        try test.rig.from("door", .goodbye(Goodbye()))
        test.ask()
        #expect(test.orders.map(\.node) == ["top-1", "top-2"])
        try test.rig.from("top-1", .goodbye(Goodbye()))
        #expect(test.answers == nil)
        for _ in 0..<20 where test.answers == nil {
            test.rig.now = test.rig.now + .seconds(1)
            try test.rig.beat("top-2")
            test.rig.take(.tick)
        }
        let errors = try #require(test.answers).map { $0.error?.message ?? "" }
        #expect(errors[0].contains("unreachable") && errors[1].contains("was lost") && errors[2].contains("in 15 s"))
        #expect(errors.allSatisfy { $0.contains("`volley camera show") })
    }

    @Test("are asked of by so many at a time")
    func limit() throws {
        var test = self
        for _ in 0..<16 { test.ask() }
        #expect(test.refusal == nil)
        let first = try #require(test.orders.first?.order.number)
        test.ask(act: .show, settings: nil)
        #expect(test.refusal == nil, "who looks is not in the way of who sets, nor the other way round")
        test.ask()
        #expect(test.refusal?.contains("under way") == true)
        for node in ["top-1", "top-2", "door"] as [NodeName] { try test.report(node, first) }
        test.ask()
        #expect(test.refusal == nil)
    }
}
