import HTTPTypes
import Hummingbird
import Logging

/// What a request is served with.
struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The secret of the session that it belongs to; nil before it was let in.
    var session: String?

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// Lets nobody in but those with a session, from pages of its own.
struct Gate: RouterMiddleware {
    typealias Context = ConsoleContext

    /// The session's cookie.
    static let cookie = "volley_session"

    /// A session's cookie, which no script and no other site's form gets.
    ///
    /// - Parameter isSecure: whether browsers may send it over TLS alone.
    static func cookie(_ session: String, isSecure: Bool, maxAge: Int? = nil) -> Cookie {
        // A link from elsewhere leads to what it names; what changes something is never a link.
        Cookie(
            name: cookie, value: session, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
    }

    let porter: Porter
    /// Where browsers find it; another name is a foreign page that had its name lead here.
    let origins: Origins

    func handle(
        _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        // The first Host line is the authority; with a second one, nobody can say which a proxy went by (RFC 9112, 3.2).
        guard request.headers[.host] == nil else { throw ConsoleError(.badRequest, "The request names two hosts.") }
        guard let own = origins.origin(of: request.head.authority) else {
            throw ConsoleError(
                .misdirectedRequest, "This console does not go by that name; use the link that it printed.")
        }
        if request.method != .get, request.method != .head, !isFrom(own, request) {
            throw ConsoleError(.forbidden, "The request comes from another site.")
        }
        var context = context
        if let session = request.cookies[Self.cookie]?.value, porter.admits(session) { context.session = session }
        guard context.session != nil || Self.isOpen(request.uri.path) else {
            throw ConsoleError(
                .unauthorized,
                "You are not logged in. Use the link that volley-console printed, or another. " + Self.linkHelp)
        }
        return try await next(request, context)
    }

    /// How somebody gets in.
    static let linkHelp =
        "`volley console link` makes one where the console runs, and so does the button 'Link for another browser' of "
        + "whoever is logged in."

    /// Browsers tell where a form or a script that changes something comes from.
    private func isFrom(_ own: String, _ request: Request) -> Bool {
        if let origin = request.headers[.origin] { return origin.lowercased() == own }
        if let site = request.headers[.secFetchSite] { return site == "same-origin" }
        // What is no browser's has no site; an old one says at least which page it was on.
        return request.headers[.referer].map { $0.lowercased().hasPrefix(own + "/") } ?? true
    }

    /// What has no secrets.
    private static func isOpen(_ path: String) -> Bool { path == "/enter" || path.hasPrefix("/assets/") }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host")!
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
    static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

/// Says on every answer, also on one that failed, what a browser may do with it.
struct AnswerGuard: RouterMiddleware {
    typealias Context = ConsoleContext

    let pages: Pages
    let porter: Porter
    /// Whether the console has a certificate of its own.
    let isEncrypted: Bool

    func handle(
        _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let told = ConsoleError(error)
            if told.status == .internalServerError { context.logger.error("no answer: \(error)") }
            let isInside = request.cookies[Gate.cookie].map { porter.admits($0.value) } ?? false
            response = pages.failure(
                told, isForPrograms: request.uri.path.hasPrefix("/api/"), isInside: isInside)
        }
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "worker-src 'self'; "
            + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        response.headers[.xContentTypeOptions] = "nosniff"
        // A browser that has been here over TLS does not come without (RFC 6797).
        if isEncrypted { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        response.headers[.frameOptions] = "DENY"
        response.headers[.resourcePolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
        // A link has a secret in it. With none at all, browsers would not say where the console's own forms come from.
        response.headers[.referrerPolicy] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // What follows a head would be read as the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
