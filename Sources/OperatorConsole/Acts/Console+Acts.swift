import CaptureModel
import Foundation
import HTTPTypes
import Hummingbird
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// What changes something: for pages as forms, for programs as JSON.
extension Console {
    func addActs(_ router: Router<ConsoleContext>) {
        router.get("fire") { request, _ in pages.page("fire", try await fireView(try Query(request))) }
        router.post("fire") { request, _ in try await fire(try await request.form()) }
        router.post("fire/check") { request, _ in
            let form = try await request.form()
            return Response.json(await checked(form))
        }
        for act in CaptureAct.allCases {
            // Where a browser is left after it was refused; a reload comes here.
            router.get("captures/:id/\(act)") { _, context in
                Response.redirect(to: "/captures/\(try id(context))", type: .normal)
            }
            router.post("captures/:id/\(act)") { request, context in
                try await self.act(act, try await request.form(), context)
            }
        }
        router.post("captures/:id/photos/:node/:count/annotation") { request, context in
            let (id, (node, count), form) = (try id(context), try photo(context), try await request.form())
            let photo = PhotoID(uniqueID: id, node: node, photoCount: count)
            let shown = try ["view", "beside"].map { name throws(ConsoleError) in
                try form.value(name, wanted: "NODE/COUNT of a photo") { Self.photo($0, of: id) }
            }
            _ = try await annotate(photo, try Annotation(form))
            let view = "\((shown[0] ?? photo).address)/view"
            let pair = shown[1].map { Query.empty.address(view, with: "beside", "\($0.node)/\($0.photoCount)") }
            return Response.redirect(to: pair ?? view, type: .normal)
        }
        let version = router.group("api/v1")
        version.post("check") { request, _ in
            let body = try await request.object(known: FireRequest.checkedMembers)
            do {
                let order = try await FireRequest(checked: body, time: time)
                try await client.requireKnowledge(of: order.plan)
                return Response.json(CheckDocument(try await client.ask(CheckRequest(order))))
            } catch {
                let told = ConsoleError(error)
                // What the rig has against a plan is what was asked for.
                guard body.hasPlan, told.status == .badRequest || error.isRefusal else { throw told }
                return Response.json(CheckDocument(told))
            }
        }
        version.post("captures") { request, _ in
            let order = try await FireRequest(try await request.object(known: FireRequest.members), time: time)
            try await client.requireKnowledge(of: order.plan)
            let reply = try await client.ask(order)
            var response = Response.json(reply, status: .accepted)
            response.headers[.location] = "/api/v1/captures/\(reply.uniqueID)"
            return response
        }
        version.post("armed") { request, _ in
            let order = try await FireRequest(try await request.object(known: FireRequest.members), time: time)
            return Response.json(try await arm(order))
        }
        version.post("armed/release") { _, _ in
            Response.json(try await client.ask(ReleaseRequest()), status: .accepted)
        }
        version.post("captures/:id/release") { _, context in
            Response.json(try await client.ask(ReleaseRequest(uniqueID: try id(context))), status: .accepted)
        }
        version.post("captures/:id/annotation") { request, context in
            let annotation = try Annotation(try await request.object(known: Annotation.members))
            return Response.json(try await annotate(try id(context), annotation))
        }
        version.post("captures/:id/photos/:node/:count/annotation") { request, context in
            let (node, count) = try photo(context)
            let annotation = try Annotation(try await request.object(known: Annotation.membersOfPhotos))
            return Response.json(
                try await annotate(PhotoID(uniqueID: try id(context), node: node, photoCount: count), annotation))
        }
        version.post("captures/:id/cancel") { _, context in
            Response.json(try await client.ask(CancelRequest(uniqueID: try id(context))), status: .accepted)
        }
    }

    /// Nodes have ten seconds for each of two rounds, and may be busy with another capture before.
    private func arm(_ order: FireRequest) async throws -> ArmReply {
        try await client.requireKnowledge(of: order.plan)
        do {
            return try await client.ask(ArmRequest(order), seconds: order.queue == true ? 300 : 30)
        } catch OperatorClient.ClientError.refused(var refusal) {
            refusal.message = refusal.message.replacing("Nothing was fired", with: "Nothing was armed")
            throw OperatorClient.ClientError.refused(refusal)
        }
    }

    /// What is done to a capture on its page, by the address.
    private enum CaptureAct: String, CaseIterable, CustomStringConvertible {
        case annotation, release, cancel

        var description: String { rawValue }
    }

    /// What is refused is said on the capture's page.
    private func act(_ act: CaptureAct, _ form: Query, _ context: ConsoleContext) async throws -> Response {
        let id = try id(context)
        do {
            switch act {
            case .annotation:
                let annotation = try Annotation(form)
                guard annotation != Annotation() else { throw ConsoleError(.badRequest, "Nothing was changed.") }
                _ = try await annotate(id, annotation)
            case .release: _ = try await client.ask(ReleaseRequest(uniqueID: id))
            case .cancel: _ = try await client.ask(CancelRequest(uniqueID: id))
            }
            return Response.redirect(to: "/captures/\(id)", type: .normal)
        } catch {
            let told = ConsoleError(error)
            // Where nobody answers, there is nothing to show it with; the browser's page before has what was typed.
            if told.mayHaveHappened { throw told }
            // Pressed twice, or somebody else was faster.
            if act == .release, let capture = try? await capture(context), capture.summary.isFired {
                return Response.redirect(to: "/captures/\(id)", type: .normal)
            }
            return pages.page("capture", try await captureView(context, refused: (told, form)), status: told.status)
        }
    }

    /// The empty form, or one with what an earlier capture or a series was.
    private func fireView(_ query: Query) async throws -> FireView {
        var view = FireView(Query.empty, try await fireChoices(), series.standings, news: news)
        try query.refuseOthers(than: ["like", "series"])
        let like = try query.value("like", wanted: "the number of a capture") {
            Int64($0).map(UniqueID.init(rawValue:))
        }
        if let like { view.show(try await client.ask(ShowRequest(uniqueID: like)).capture) }
        // The console forgets old ones.
        if let begun = query.text("series").flatMap(series.standing) { view.show(begun.series.first) }
        return view
    }

    private func fireChoices() async throws -> FireView.Choices {
        // Whoever opens the form while the coordinator is away does not wait for it.
        let nodes = news == nil ? [] : try await client.ask(NodesRequest()).nodes
        let pending = news == nil ? [] : (try? await client.ask(PendingRequest()).captures) ?? []
        return FireView.Choices(
            groups: Set(nodes.flatMap { $0.groups ?? [] }).sorted(), plans: plans.names,
            nodes: nodes.filter { $0.state != .retired }.map(\.name).sorted { $0.precedes($1) }, pending: pending,
            losses: news == nil ? [:] : await losses())
    }

    private enum FireAnswer {
        case fired(UniqueID)
        case armed(UniqueID)
        /// A series, by its request's ID.
        case begun(String)
        case good(FormCheck)
        case plan(String)
    }

    /// Fires what a form says, arms it, or checks it; what is wrong is said beside it, and nothing of it is lost.
    private func fire(_ form: Query) async throws -> Response {
        let answer: Result<FireAnswer, ConsoleError>
        do { answer = .success(try await act(form)) } catch { answer = .failure(ConsoleError(error)) }
        if case .success(.begun(let request)) = answer {
            return Response.redirect(to: Query.empty.address("/fire", with: "series", request), type: .normal)
        }
        if case .success(.fired(let id)) = answer { return Response.redirect(to: "/captures/\(id)", type: .normal) }
        if case .success(.armed(let id)) = answer {
            return Response.redirect(to: "/captures/\(id)?\(Self.shutter)", type: .normal)
        }
        // The shutter has not waited for what is only for the page.
        let isPending = if case .failure(let told) = answer { told.mayHaveHappened } else { false }
        var view = FireView(
            form, (try? await fireChoices()) ?? FireView.Choices(), series.standings, isPending: isPending, news: news)
        switch answer {
        case .success(.fired), .success(.armed), .success(.begun): break
        case .success(.good(let check)): view.show(check)
        case .success(.plan(let text)): view.plan = text
        case .failure(let told):
            view.show(told, of: form.text("act"))
            return pages.page("fire", view, status: told.status)
        }
        return pages.page("fire", view)
    }

    private func act(_ form: Query) async throws -> FireAnswer {
        if form.text("act") == "load" { return .plan(try plans.text(of: form.text("library") ?? "")) }
        var order = try await FireRequest(form, time: time)
        let repetition = try Repetition(form)
        switch form.text("act") {
        case "fire":
            try await client.requireKnowledge(of: order.plan)
            guard let repetition else { return .fired(try await client.ask(order).uniqueID) }
            order.queue = nil
            _ = try await begin(order, repetition)
            return .begun(order.requestID)
        case "arm":
            guard repetition == nil else {
                throw ConsoleError(.badRequest, "A series fires by itself, and cannot be armed.")
            }
            // Whoever comes back from it and fires wants another capture.
            order.requestID += " armed"
            return .armed(try await arm(order).uniqueID)
        case _: return .good(try await check(order, repetition))
        }
    }

    /// What would become of a form that somebody is still filling in.
    private func checked(_ form: Query) async -> FormCheck {
        do {
            let order = try await FireRequest(form, time: time)
            let repetition = try Repetition(form)
            return try await check(order, repetition)
        } catch {
            return FormCheck(ConsoleError(error))
        }
    }

    private func check(_ order: FireRequest, _ repetition: Repetition?) async throws -> FormCheck {
        try await client.requireKnowledge(of: order.plan)
        let now = order.at == nil ? .now : try await coordinatorTime()
        guard let repetition else {
            return FormCheck(try await client.ask(CheckRequest(order)), at: order.at, now: now, nil)
        }
        let series = try await planned(order, repetition)
        do {
            return FormCheck(try await client.ask(series.check), at: order.at, now: now, series)
        } catch OperatorClient.ClientError.refused(let refusal) where refusal.isPassing {
            return FormCheck(refusal, of: series)
        }
    }

    private func annotate(_ id: UniqueID, _ annotation: Annotation) async throws -> AnnotateReply {
        // Digits choose all captures that begin or end with them: it must be there as it was named.
        _ = try await client.ask(ShowRequest(uniqueID: id))
        var filter = PhotoFilter()
        filter.captures.digits = "\(id)"
        return try await client.ask(AnnotateRequest(filter: filter, isOfPhotos: false, annotation: annotation))
    }

    /// Says something of one photo, which is chosen by what there is one of in its capture.
    private func annotate(_ photo: PhotoID, _ annotation: Annotation) async throws -> AnnotateReply {
        let capture = try await client.ask(ShowRequest(uniqueID: photo.uniqueID)).capture
        let found = capture.photos.first { $0.node == photo.node && $0.record.photoCount == photo.photoCount }
        guard let record = found?.record, let node = NodePattern(rawValue: photo.node.rawValue) else {
            throw ConsoleError(.notFound, "Capture \(photo.uniqueID) does not have this photo.")
        }
        var filter = PhotoFilter()
        filter.captures.digits = "\(photo.uniqueID)"
        (filter.nodes, filter.steps, filter.formats) = ([node], [record.sequenceCount], [record.format])
        return try await client.ask(AnnotateRequest(filter: filter, isOfPhotos: true, annotation: annotation))
    }
}

extension Error {
    /// Whether a coordinator answered, and said no.
    fileprivate var isRefusal: Bool {
        if case .refused? = self as? OperatorClient.ClientError { true } else { false }
    }
}

/// What `/api/v1/check` answers.
private struct CheckDocument: Encodable {
    let canFire: Bool
    /// Why not.
    var reason: String?
    var nodes: [String] = []
    let objections: [String]
    let objectionsByNode: [String: String]
    var expectedPhotoCount = 0
    var leastNanoseconds: Int64?
    var waitsFor: UniqueID?

    init(_ reply: CheckReply) {
        (canFire, nodes) = (true, reply.nodes.map(\.rawValue))
        (objections, expectedPhotoCount) = (reply.objections, reply.expectedPhotoCount)
        objectionsByNode = reply.objectionsByNode ?? [:]
        (leastNanoseconds, waitsFor) = (reply.leastNanoseconds, reply.waitsFor)
    }

    init(_ error: ConsoleError) {
        (canFire, reason, objections) = (false, error.message, error.details)
        objectionsByNode = error.objectionsByNode
    }
}
