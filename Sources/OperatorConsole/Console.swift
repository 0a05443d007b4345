import CaptureModel
import Documents
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import RigProtocol
package import RigTransport
import ServiceLifecycle
import UnixSignals

/// Pages and HTTP for operators; towards the coordinator an operator like any other.
///
/// ```
/// browser --HTTP--> AnswerGuard --> Gate --> pages, API --wire--> coordinator
///         <-- server-sent events --------------- NewsHub <--wire--
/// ```
package struct Console: Sendable {
    let client: OperatorClient
    private let hub: NewsHub
    let shelf: PhotoShelf
    let downloads = Downloads()
    let plans: PlanShelf
    let alarms: AlarmKeeper
    let series: SeriesDesk
    private let certificate: ServerCertificate?
    private let porter: Porter
    let pages = Pages()
    private let origins: Origins
    let logger: Logger

    /// - Parameters:
    ///   - library: the library's folder as it is reached from here; nil for the path that the coordinator says.
    ///   - plans: a folder of plans to choose from; nil for none.
    ///   - alarms: a file in which alarms outlive it; nil for none.
    ///   - certificate: for TLS; nil for none.
    ///   - origins: where browsers find it.
    ///   - logger: told of what no browser can be.
    ///   - admits: uses up a link that was made elsewhere, and says whether there was one.
    package init(
        _ client: OperatorClient, library: String?, plans: String?, alarms: String?, certificate: ServerCertificate?,
        origins: Origins, logger: Logger, admits: @escaping @Sendable (String) -> Bool
    ) {
        self.client = client
        porter = Porter(admits)
        self.certificate = certificate
        self.plans = PlanShelf(folder: plans)
        hub = NewsHub(client)
        series = SeriesDesk(client)
        self.alarms = AlarmKeeper(client, hub, file: alarms, logger: logger)
        shelf = PhotoShelf(client: client, library: library)
        (self.origins, self.logger) = (origins, logger)
    }

    /// A link that lets somebody in once.
    ///
    /// - Parameter origin: where the browser finds the console.
    package func invite(at origin: String) -> String { "\(origin)/enter?token=\(porter.invite())" }

    /// Serves browsers until a signal comes.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - ready: called once it listens.
    package func run(host: String, port: Int, ready: @escaping @Sendable () -> Void) async throws {
        // Whoever connects and says nothing does not stay, nor does whoever reads nothing.
        let strangers = StrangerDesk()
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ReaderDeadline(), StrangerWatch(strangers)], idleTimeout: .seconds(60)))
        let application = Application(
            responder: responder,
            server: try certificate.map { try .tls(plain, tlsConfiguration: $0.configuration) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), availableConnectionsDelegate: MaximumAvailableConnections(512)),
            onServerRunning: { _ in ready() }, logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [Follower(hub: hub), alarms, application], gracefulShutdownSignals: [.sigterm, .sigint, .sighup],
            logger: logger)
        // A browser that does not read keeps it from ending no longer than that.
        configuration.maximumGracefulShutdownDuration = .seconds(3)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// What answers browsers.
    private var responder: some HTTPResponder<ConsoleContext> {
        let router = Router(context: ConsoleContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerGuard(pages: pages, porter: porter, isEncrypted: certificate != nil))
        router.add(middleware: Gate(porter: porter, origins: origins))
        addDoor(router)
        addPages(router)
        addPhotos(router)
        addDownloads(router)
        addInterface(router)
        addActs(router)
        addPending(router)
        addLive(router)
        addCameras(router)
        addAlarms(router)
        addSeries(router)
        refuseOtherMethods(router)
        return router.buildResponder()
    }

    /// Those of HTTP's registry that anybody sends, with QUERY, which OpenAPI 3.2 brings.
    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("QUERY"),
    ].compactMap(\.self)

    /// What is there, but not for that method, is not said to be missing.
    private func refuseOtherMethods(_ router: Router<ConsoleContext>) {
        for (path, routes) in Dictionary(grouping: router.routes, by: \.path.description) {
            var known = Set(routes.map(\.method))
            if known.contains(.get) { known.insert(.head) }
            let allowed = known.map(\.rawValue).sorted().joined(separator: ", ")
            for method in Self.methods where !known.contains(method) {
                router.on(RouterPath(path), method: method) { [pages] request, context in
                    var response = pages.failure(
                        ConsoleError(.methodNotAllowed, "There is only \(allowed) here."),
                        isForPrograms: request.uri.path.hasPrefix("/api/"), isInside: context.session != nil)
                    response.headers[.allow] = allowed
                    return response
                }
            }
        }
    }

    // MARK: Routes

    private func addDoor(_ router: Router<ConsoleContext>) {
        router.get("enter") { request, _ in
            // Programs that look ahead at a link ask for its head, and do not use it up.
            guard request.method == .get else { return Response(status: .ok) }
            guard let token = try Query(request).text("token"), let session = porter.enter(token) else {
                throw ConsoleError(
                    .unauthorized, "This link has been used, or is too old; get another. " + Gate.linkHelp)
            }
            var response = Response.redirect(to: "/", type: .normal)
            response.setCookie(Gate.cookie(session, isSecure: origins.isSecure(request.head.authority)))
            return response
        }
        router.post("links") { request, _ in
            let link = invite(at: origins.origin(of: request.head.authority) ?? "")
            return pages.page(
                "message",
                MessageView(
                    title: "A link", message: "For another browser of yours, or for somebody else.", link: link,
                    isInside: true))
        }
        router.post("leave") { request, context in
            if let session = context.session { porter.leave(session) }
            var response = pages.page(
                "message", MessageView(title: "Logged out", message: "This browser is logged out."))
            response.setCookie(Gate.cookie("", isSecure: origins.isSecure(request.head.authority), maxAge: 0))
            return response
        }
        for (name, bytes, type) in [
            ("console.css", PackageResources.console_css, "text/css; charset=utf-8"),
            ("console.js", PackageResources.console_js, "text/javascript; charset=utf-8"),
            ("capture.js", PackageResources.capture_js, "text/javascript; charset=utf-8"),
            ("fire.js", PackageResources.fire_js, "text/javascript; charset=utf-8"),
            ("parts.js", PackageResources.parts_js, "text/javascript; charset=utf-8"),
            ("news.js", PackageResources.news_js, "text/javascript; charset=utf-8"),
            ("previews.js", PackageResources.previews_js, "text/javascript; charset=utf-8"),
            ("photo.js", PackageResources.photo_js, "text/javascript; charset=utf-8"),
            ("live.js", PackageResources.live_js, "text/javascript; charset=utf-8"),
            ("camera.js", PackageResources.camera_js, "text/javascript; charset=utf-8"),
            ("icon.svg", PackageResources.icon_svg, "image/svg+xml"),
        ] {
            router.get("assets/\(name)") { _, _ in
                Response(
                    status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
            }
        }
    }

    /// What an address says where somebody comes to a capture's page by arming it.
    static let shutter = "shutter"

    private func addPages(_ router: Router<ConsoleContext>) {
        router.get("/") { request, _ in
            let query = try Query(request)
            let news = news
            let filter: CaptureFilter
            do throws(ConsoleError) {
                filter = try CaptureFilter(query, limit: CapturesView.rowCount)
            } catch {
                // What was asked for is not lost.
                return pages.page("captures", CapturesView(query, refused: error, news: news), status: error.status)
            }
            return pages.page("captures", CapturesView(try await captures(filter), query, news: news))
        }
        router.get("captures/:id") { request, context in
            let isAtShutter = try Query(request).has(Self.shutter)
            return pages.page("capture", try await captureView(context, isAtShutter: isAtShutter))
        }
        router.get("captures/:id/photos/:node/:count/view") { request, context in
            let news = news
            let (id, (node, count), query) = (try id(context), try photo(context), try Query(request))
            let other = try query.value("beside", wanted: "NODE/COUNT of a photo") { Self.photo($0, of: id) }
            let photo = PhotoID(uniqueID: id, node: node, photoCount: count)
            guard let view = PhotoView(try await capture(context), photo, beside: other, news: news) else {
                throw ConsoleError(.notFound, "The library does not have this photo of capture \(id).")
            }
            return pages.page("photo", view)
        }
        router.get("nodes") { _, _ in
            let news = news
            async let nodes = client.ask(NodesRequest()).nodes
            async let clocks = client.ask(ClocksRequest()).nodes
            async let families = client.ask(MetricsRequest()).families
            let verdict = try await client.ask(StatusRequest()).verdict
            let view = NodesView(
                try await nodes, RigHealth(try await families), try await clocks, captureBytes: try await lastSize,
                verdict, news: news)
            return pages.page("nodes", view)
        }
    }

    private func addPhotos(_ router: Router<ConsoleContext>) {
        for prefix in ["", "api/v1/"] {
            router.get("\(prefix)captures/:id/thumbnail") { request, context in
                try await shelf.thumbnail(try id(context), request)
            }
            router.get("\(prefix)captures/:id/photos/:node/:count") { request, context in
                let (node, count) = try photo(context)
                return try await shelf.original(try id(context), node, count, request, context)
            }
            router.get("\(prefix)captures/:id/photos/:node/:count/picture") { request, context in
                let (node, count) = try photo(context)
                return try await shelf.picture(try id(context), node, count, request)
            }
            router.get("\(prefix)captures/:id/photos/:node/:count/thumbnail") { request, context in
                let (node, count) = try photo(context)
                return try await shelf.thumbnail(try id(context), node, count, request)
            }
        }
    }

    /// For programs; `openapi.json` describes it.
    private func addInterface(_ router: Router<ConsoleContext>) {
        let version = router.group("api/v1")
        version.get("openapi.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.openapi_json)))
        }
        version.get("status") { _, _ in
            let status = try await client.ask(StatusRequest())
            return Response.json(
                StatusDocument(
                    software: status.software, library: status.library, news: status.news,
                    verification: status.verdict.map { VerdictDocument($0) }))
        }
        version.get("nodes") { _, _ in
            Response.json(try await client.ask(NodesRequest()).nodes.map { NodeDocument($0) })
        }
        version.get("captures") { request, _ in
            let filter = try CaptureFilter(try Query(request), limit: CapturesView.rowCount)
            let found = try await captures(filter)
            return Response.json(
                CapturesDocument(
                    captures: found.items.map { CaptureDocument($0) }, matchCount: found.matchCount,
                    remarks: found.remarks))
        }
        version.get("captures/:id") { _, context in Response.json(CaptureDocument(try await capture(context))) }
        version.get("events") { request, context in
            let (porter, session) = (porter, context.session ?? "")
            return try EventStream(hub, alarms, request) { porter.admits(session) }.response
        }
    }

    // MARK: Questions

    /// The number of the last news that a page already shows; nil where that is not known.
    var news: Int64? {
        let standing = hub.standing
        return standing.isAway ? nil : standing.newest
    }

    func captures(_ filter: CaptureFilter) async throws -> Found<CaptureSummary> {
        let reply = try await client.ask(CapturesRequest(filter: filter))
        return Found(
            items: reply.captures, matchCount: reply.matchCount ?? reply.captures.count, remarks: reply.remarks ?? [])
    }

    /// The size of the newest complete capture; nil where there is none.
    private var lastSize: Int? {
        get async throws {
            var filter = CaptureFilter()
            (filter.states, filter.limit) = ([.complete], 1)
            guard let id = try await captures(filter).items.first?.uniqueID else { return nil }
            var photos = PhotoFilter()
            (photos.captures.digits, photos.states, photos.limit) = ("\(id)", [.stored], 10_000)
            return try await client.ask(PhotosRequest(filter: photos)).found.items
                .reduce(0) { $0 + ($1.photo.record.file?.byteCount ?? 0) }
        }
    }

    func capture(_ context: ConsoleContext) async throws -> CaptureDetail {
        try await client.ask(ShowRequest(uniqueID: try id(context))).capture
    }

    /// The page of a capture.
    ///
    /// - Parameters:
    ///   - isAtShutter: whether somebody has just armed it.
    ///   - refused: why what was wanted of it was not done, with what was sent.
    func captureView(
        _ context: ConsoleContext, isAtShutter: Bool = false, refused: (error: ConsoleError, form: Query)? = nil
    ) async throws -> CaptureView {
        let news = news
        let capture = try await capture(context)
        return CaptureView(
            capture, armed: await shutter(of: capture.summary), isAtShutter: isAtShutter, refused: refused, news: news)
    }

    func id(_ context: ConsoleContext) throws -> UniqueID {
        guard let text = context.parameters.get("id"), let number = Int64(text), number > 0 else {
            throw ConsoleError(.notFound, "There is no such capture; its address ends in digits.")
        }
        return UniqueID(rawValue: number)
    }

    /// - Parameter text: as in `left/2`.
    static func photo(_ text: String, of id: UniqueID) -> PhotoID? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let node = NodeName(String(parts[0])), let count = Int(parts[1]) else { return nil }
        return PhotoID(uniqueID: id, node: node, photoCount: count)
    }

    func photo(_ context: ConsoleContext) throws -> (NodeName, Int) {
        guard let node = context.parameters.get("node").flatMap({ NodeName($0) }),
            let count = context.parameters.get("count").flatMap({ Int($0) }), count > 0
        else { throw ConsoleError(.notFound, "There is no such photo.") }
        return (node, count)
    }
}

/// Follows the rig's news.
private struct Follower: Service {
    /// The interval at which browsers that are gone are looked for.
    private static let interval = Duration.seconds(10)

    let hub: NewsHub

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await hub.run() }
                group.addTask {
                    while true {
                        try await Task.sleep(for: Self.interval)
                        hub.tick()
                    }
                }
                defer { group.cancelAll() }
                // They end by being cancelled.
                do { try await group.next() } catch is CancellationError {}
            }
        }
    }
}

/// What `/api/v1/status` answers.
private struct StatusDocument: Encodable {
    let software: String?
    let library: String
    /// The number of the newest news item, from which a stream of events can go on.
    let news: Int64
    /// What the last check of the library found; nil where there was none.
    let verification: VerdictDocument?
}

/// What `/api/v1/captures` answers.
private struct CapturesDocument: Encodable {
    let captures: [CaptureDocument]
    let matchCount: Int
    let remarks: [String]
}
