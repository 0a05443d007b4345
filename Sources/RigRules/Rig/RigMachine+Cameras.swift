import CaptureModel
import RigProtocol

/// Nodes whose cameras an operator asks about, or sets by hand.
extension RigMachine {
    /// The time that nodes have for it: an automatic that is to choose once takes seconds.
    static let cameraLimit = Int64.seconds(15)
    /// The most requests that are under way; of those that set something, as many again.
    static let mostInquiries = 16

    /// A request that some nodes have yet to answer.
    struct Inquiry: Sendable {
        let caller: Caller
        let act: CameraOrder.Act
        let deadline: RigTime
        var waiting: Set<NodeName>
        var answers: [NodeName: CameraReply.Answer] = [:]
    }

    mutating func cameraRequested(_ caller: Caller, _ request: CameraRequest) -> [RigEffect] {
        do throws(Refusal) {
            return try inquire(caller, request)
        } catch {
            return [.reply(.refused(error), to: caller)]
        }
    }

    private mutating func inquire(_ caller: Caller, _ request: CameraRequest) throws(Refusal) -> [RigEffect] {
        let outcome = request.act == .show ? "No camera was asked" : "No camera was set"
        if request.act == .set {
            guard let settings = request.settings, !settings.properties.isEmpty else {
                throw Refusal(.invalid, "\(outcome): the request has no settings.")
            }
            if let problem = settings.problem { throw Refusal(.invalid, "\(outcome): \(problem)") }
        }
        guard inquiries.values.count(where: { ($0.act == .show) == (request.act == .show) }) < Self.mostInquiries else {
            throw Refusal(.tryAgain, "\(outcome): \(Self.mostInquiries) such requests are under way; try again.")
        }
        let names = [request.nodes?.count, request.groups?.count].compactMap(\.self)
        guard names.isEmpty || names.contains(where: { $0 > 0 }), names.allSatisfy({ $0 <= Plan.longestList }) else {
            throw Refusal(
                .invalid, "\(outcome): name 1 to \(Plan.longestList) nodes or groups; leave both out for all.")
        }
        let chosen = try chosenNodes(
            NodeChoice(nodes: request.nodes, groups: request.groups, outcome: outcome))
        lastInquiry += 1
        let order = CameraOrder(
            number: lastInquiry, act: request.act, settings: request.act == .set ? request.settings : nil)
        var inquiry = Inquiry(caller: caller, act: request.act, deadline: now + Self.cameraLimit, waiting: [])
        var effects: [RigEffect] = []
        let armed = captures.values.filter(\.phase.isArmed).map(\.uniqueID).sorted()
        for name in chosen.keys.sorted() {
            let holder = armed.first { captures[$0]?.nodeNames.contains(name) == true }
            if request.act != .show, let words = holder.flatMap(armedWords) {
                inquiry.answers[name] = CameraReply.Answer(
                    node: name, error: CaptureError(.operationNotAllowed, "Node \(name) is held for \(words)"))
            } else if let node = chosen[name], node.isConnected, let peer = node.peer {
                inquiry.waiting.insert(name)
                effects.append(.send(.camera(order), to: peer))
            } else {
                inquiry.answers[name] = Self.answer(name, Self.remark("is unreachable", request.act, name))
            }
        }
        inquiries[lastInquiry] = inquiry
        return effects + concluded(lastInquiry)
    }

    /// A node has answered.
    mutating func cameraReported(_ node: NodeName, _ report: CameraReport) -> [RigEffect] {
        guard inquiries[report.number]?.waiting.remove(node) != nil else { return [] }
        inquiries[report.number]?.answers[node] = CameraReply.Answer(
            node: node, state: report.state, error: report.error)
        return concluded(report.number)
    }

    /// A node will not answer any more.
    mutating func endInquiries(of node: NodeName) -> [RigEffect] {
        var effects: [RigEffect] = []
        for (number, inquiry) in inquiries.sorted(by: { $0.key < $1.key }) where inquiry.waiting.contains(node) {
            inquiries[number]?.waiting.remove(node)
            let message = Self.remark("was lost before it answered", inquiry.act, node)
            inquiries[number]?.answers[node] = Self.answer(node, message)
            effects += concluded(number)
        }
        return effects
    }

    /// Waits no longer for nodes that take too long.
    mutating func endInquiries() -> [RigEffect] {
        var effects: [RigEffect] = []
        for (number, inquiry) in inquiries.sorted(by: { $0.key < $1.key }) where now >= inquiry.deadline {
            for node in inquiry.waiting {
                let message = Self.remark(
                    "has not answered in \(Self.cameraLimit / .seconds(1)) s, or is of a release that cannot",
                    inquiry.act, node)
                inquiries[number]?.answers[node] = Self.answer(node, message)
            }
            inquiries[number]?.waiting = []
            effects += concluded(number)
        }
        return effects
    }

    private mutating func concluded(_ number: Int) -> [RigEffect] {
        guard let inquiry = inquiries[number], inquiry.waiting.isEmpty else { return [] }
        inquiries[number] = nil
        let answers = inquiry.answers.values.sorted { $0.node.precedes($1.node) }
        return [.reply(.cameras(CameraReply(nodes: answers)), to: inquiry.caller)]
    }

    private static func answer(_ node: NodeName, _ message: String) -> CameraReply.Answer {
        CameraReply.Answer(node: node, error: CaptureError(.nodeUnreachable, message))
    }

    private static func remark(_ what: String, _ act: CameraOrder.Act, _ node: NodeName) -> String {
        let rest =
            switch act {
            case .show: ""
            case .set, .reset: "; `volley camera show \(node)` says whether its camera was set"
            }
        return "Node \(node) \(what)\(rest)."
    }
}
