import CaptureModel
import Documents
import HTTPTypes
import Hummingbird
import RigProtocol
import RigTransport

/// What cameras are set to by hand, and setting them.
extension Console {
    /// A camera may meter or focus meanwhile.
    private static let patience = 30.0

    func addCameras(_ router: Router<ConsoleContext>) {
        router.get("live/:node") { _, context in pages.page("camera", try await camera(try node(context))) }
        // Where a browser is after it has set something.
        router.get("live/:node/camera") { _, context in
            Response.redirect(to: "/live/\(try node(context))", type: .normal)
        }
        router.post("live/:node/camera") { request, context in
            let name = try node(context)
            let form = try await request.form()
            let (reply, isReset): (CameraReply, Bool)
            do {
                let order = try CameraRequest(form, of: name)
                (reply, isReset) = (try await client.ask(order, seconds: Self.patience), order.act == .reset)
            } catch {
                let told = ConsoleError(error)
                // What was typed is not lost.
                return pages.page("camera", try await camera(name, refused: (told, form)), status: told.status)
            }
            return pages.page("camera", try await camera(name, after: (reply, isReset)))
        }
        let version = router.group("api/v1")
        version.get("nodes/:node/camera") { _, context in
            let name = try node(context)
            try await requireNode(name)
            return Response.json(CameraStateDocument(try await shown(name)))
        }
        version.post("cameras") { request, _ in
            let order = try CameraRequest(try await request.object(known: CameraRequest.members))
            let reply = try await client.ask(order, seconds: Self.patience)
            return Response.json(reply.nodes.map { CameraStateDocument($0) })
        }
    }

    /// The page of a camera.
    ///
    /// - Parameters:
    ///   - done: what came of setting it, and maybe others.
    ///   - refused: why nothing was set, with what was asked for.
    private func camera(
        _ name: NodeName, after done: (CameraReply, isReset: Bool)? = nil, refused: (ConsoleError, Query)? = nil
    ) async throws -> CameraView {
        let news = news
        let nodes = try await requireNode(name)
        return CameraView(name, nodes, try await shown(name), after: done, refused: refused, news: news)
    }

    private func shown(_ name: NodeName) async throws -> CameraReply.Answer {
        let reply = try await client.ask(
            CameraRequest(nodes: [NodePattern(name)], act: .show), seconds: Self.patience)
        guard let answer = reply.nodes.first else { throw ConsoleError(.notFound, "There is no node \(name).") }
        return answer
    }

    func node(_ context: ConsoleContext) throws -> NodeName {
        guard let name = context.parameters.get("node").flatMap({ NodeName($0) }) else {
            throw ConsoleError(.notFound, "There is no such node.")
        }
        return name
    }
}

extension CameraStateDocument {
    fileprivate init(_ answer: CameraReply.Answer) { self.init(node: answer.node, answer.state, error: answer.error) }
}

extension CameraRequest {
    private struct Body: Decodable {
        let nodes, groups: [String]?
        let settings: [String: String]?
        let reset: Bool?
    }

    fileprivate static let members: Set = ["nodes", "groups", "settings", "reset"]

    /// What a program wants cameras to be set to.
    fileprivate init(_ body: JSONBody) throws(ConsoleError) {
        let wanted = try body.decode(Body.self)
        let nodes = try wanted.nodes.map { names throws(ConsoleError) in try Self.patterns(names) }
        guard nodes?.isEmpty == false || wanted.groups?.isEmpty == false else {
            throw ConsoleError(
                .badRequest, "'nodes' or 'groups' should say whose cameras are meant; '*' is all of them.")
        }
        guard (wanted.settings != nil) != (wanted.reset == true) else {
            throw ConsoleError(.badRequest, "There should be either 'settings' or a 'reset' that is true.")
        }
        let settings = try wanted.settings.map { settings throws(ConsoleError) in try CameraSettings(typed: settings) }
        self.init(nodes: nodes, groups: wanted.groups, act: settings == nil ? .reset : .set, settings: settings)
    }

    /// What a page wants them to be set to.
    ///
    /// - Parameter name: the node whose page it is.
    fileprivate init(_ form: Query, of name: NodeName) throws(ConsoleError) {
        let to = form.text("to") ?? name.rawValue
        let group = to.hasPrefix("group ") ? String(to.dropFirst(6)) : nil
        self.init(
            nodes: group == nil ? try Self.patterns([to]) : nil, groups: group.map { [$0] }, act: .set, settings: nil)
        switch form.text("act") {
        case "meter": settings = .meteringOnce
        case "focus": settings = .focusingOnce
        case "reset": act = .reset
        default:
            // Only what was changed: the rest may be an automatic's.
            let changed = CameraProperty.allCases.map(\.rawValue).filter {
                form.has($0) && form.text($0) != form.text("was-\($0)")
            }
            guard !changed.isEmpty else { throw ConsoleError(.badRequest, "Nothing was changed, and nothing was set.") }
            settings = try CameraSettings(
                typed: Dictionary(uniqueKeysWithValues: changed.map { ($0, form.text($0) ?? "") }))
        }
    }

    private static func patterns(_ names: [String]) throws(ConsoleError) -> [NodePattern] {
        var patterns: [NodePattern] = []
        for name in names {
            guard let pattern = NodePattern(rawValue: name) else {
                throw ConsoleError(.badRequest, "'\(name)' is no name of a node, nor a pattern such as 'top-*'.")
            }
            patterns.append(pattern)
        }
        return patterns
    }
}

extension CameraSettings {
    /// As people write them.
    fileprivate init(typed settings: [String: String]) throws(ConsoleError) {
        do throws(CameraSettings.Problem) {
            try self.init(words: settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        } catch {
            throw ConsoleError(.badRequest, error.description)
        }
        guard !settings.isEmpty else { throw ConsoleError(.badRequest, "'settings' says nothing.") }
    }
}
