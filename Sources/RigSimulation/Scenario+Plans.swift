import CaptureModel

/// What operators of a simulated rig ask for, by the number of the request.
extension Scenario {
    /// The rig's groups: its first node, and the others, which fire later.
    var groups: [NodeGroup] {
        guard hasGroups else { return [] }
        return [
            NodeGroup(name: "first", nodes: ["node-0"]),
            NodeGroup(name: "others", nodes: otherNodes, offsetNanoseconds: Self.delayOfOthers),
        ]
    }

    private var otherNodes: [NodePattern] { (1..<nodeCount).compactMap { NodePattern("node-\($0)") } }

    private static let delayOfOthers = Int64.milliseconds(40)

    /// How much later than the capture's time a node is to fire, in nanoseconds.
    func delay(of node: NodeName) -> Int64 { hasGroups && node != "node-0" ? Self.delayOfOthers : 0 }

    /// What a plan sets a node to.
    static func iso(of node: NodeName, _ request: Int) -> Double { Double((node == "node-0" ? 200 : 400) + request) }

    /// What a node delivers of each exposure.
    func formats(of node: NodeName, _ request: Int) -> [PhotoFormat] {
        let kind = kind(request)
        if setsNodes, node != "node-0", kind % 4 == 1 { return [.tiff, .jpeg] }
        return kind % 2 == 0 ? [.tiff, .dng] : [.jpeg]
    }

    /// Whether a capture waits for somebody to press the shutter.
    func isArmed(_ request: Int) -> Bool { arms && request % 2 == 1 }

    /// Whether a capture is for a node.
    func chooses(_ node: NodeName, _ request: Int) -> Bool {
        switch choice(request) {
        case .all: true
        case .one(let index): node.rawValue == "node-\(index)"
        case .firstTwo: node == "node-0" || node == "node-1"
        case .others: node != "node-0"
        }
    }

    private enum Choice { case all, one(Int), firstTwo, others }

    private func kind(_ request: Int) -> Int { Int(seed % 7) + request }

    private func choice(_ request: Int) -> Choice {
        guard nodeCount > 1 else { return .all }
        if hasGroups, kind(request) % 4 == 0 { return .others }
        return choosesNodes ? [.all, .one(request % nodeCount), .firstTwo][kind(request) % 3] : .all
    }

    func plan(of request: Int) -> Plan {
        let kind = kind(request)
        let durations = [4, 1, 16].prefix(1 + kind % 3).map { ExposureDuration(nanoseconds: .milliseconds($0)) }
        let bracket =
            try? kind % 5 < 3
            ? Bracket(durations.map { .manualExposure(exposureDuration: .value($0), iso: .current) })
            : Bracket.burst(durations.count)
        guard let bracket else { preconditionFailure("it is a bracket") }
        let count = (0..<nodeCount).count { NodeName("node-\($0)").map { chooses($0, request) } ?? false }
        let policies: [CapturePolicy] = [.bestEffort, .all, .atLeast(max(1, count - 1))]
        var plan = Plan(
            name: "p\(request)", bracket: bracket, formats: formats(of: "node-0", request),
            policy: policies[kind / 3 % 3])
        switch choice(request) {
        case .all: break
        case .one(let index): plan.nodes = ["node-\(index)"]
        case .firstTwo: plan.nodes = ["node-0", "node-1*"]
        case .others: plan.groups = ["others"]
        }
        if setsNodes { plan.settings = settings(request) }
        return plan
    }

    /// All are set to one value, and those after the first to another one.
    private func settings(_ request: Int) -> [NodeSettings] {
        var (all, others) = (NodeSettings(), NodeSettings())
        all.camera.iso = Self.iso(of: "node-0", request)
        others.camera.iso = Self.iso(of: "node-1", request)
        let formats = formats(of: "node-1", request)
        if formats != self.formats(of: "node-0", request) { others.formats = formats }
        if hasGroups { others.groups = ["others"] } else { others.nodes = otherNodes }
        return nodeCount > 1 ? [all, others] : [all]
    }
}
