import CaptureModel
import Documents
import Foundation
import HTTPTypes
import Hummingbird
import Mustache

/// HTML in which no text becomes markup.
///
/// The library's own looks at characters, of which a mark and the `<` beside it are one that it lets pass.
struct EscapedHTML: MustacheContentType {
    func escapeText(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The pages, from templates.
struct Pages: Sendable {
    private let library: MustacheLibrary

    init() {
        let sources = [
            "head": PackageResources.head_mustache, "foot": PackageResources.foot_mustache,
            "message": PackageResources.message_mustache, "captures": PackageResources.captures_mustache,
            "capture": PackageResources.capture_mustache, "nodes": PackageResources.nodes_mustache,
            "fire": PackageResources.fire_mustache, "live": PackageResources.live_mustache,
            "camera": PackageResources.camera_mustache, "photo": PackageResources.photo_mustache,
            "alarms": PackageResources.alarms_mustache,
        ]
        MustacheContentTypes.register(EscapedHTML(), named: "ESCAPED")
        let templates = sources.mapValues { bytes in
            let text = "{{% CONTENT_TYPE: ESCAPED}}" + String(decoding: bytes, as: UTF8.self)
            guard let template = try? MustacheTemplate(string: text) else {
                preconditionFailure("the program's own templates are well formed")
            }
            return template
        }
        library = MustacheLibrary(templates: templates)
    }

    /// A page for whoever is logged in.
    func page(_ name: String, _ view: some Sendable, status: HTTPResponse.Status = .ok) -> Response {
        guard let text = library.render(view, withTemplate: name) else {
            preconditionFailure("there is a template \(name)")
        }
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Why there is no answer.
    ///
    /// - Parameters:
    ///   - isForPrograms: whether as problem details (RFC 9457) instead of as a page.
    ///   - isInside: whether whoever asked is logged in.
    func failure(_ error: ConsoleError, isForPrograms: Bool, isInside: Bool) -> Response {
        guard isForPrograms else {
            let view = MessageView(
                title: error.status.reasonPhrase, message: error.message, details: error.details.map(\.printableLine),
                isInside: isInside)
            return page("message", view, status: error.status)
        }
        let problem = Problem(
            title: error.status.reasonPhrase, status: error.status.code, detail: error.message,
            details: error.details.isEmpty ? nil : error.details)
        var response = Response.json(problem, status: error.status)
        response.headers[.contentType] = "application/problem+json"
        return response
    }

    private struct Problem: Encodable {
        let title: String
        let status: Int
        let detail: String
        let details: [String]?
    }
}

extension Response {
    /// A JSON document.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: JSONText.of(value))))
    }
}

/// A page of a sentence.
struct MessageView {
    let title, message: String
    let details: [String]
    let link: String?
    let isInside, hasDetails: Bool
    /// It waits for nothing.
    let news: Int64? = nil

    init(title: String, message: String, details: [String] = [], link: String? = nil, isInside: Bool = false) {
        (self.title, self.message, self.details) = (title, message, details)
        (self.link, self.isInside, hasDetails) = (link, isInside, !details.isEmpty)
    }
}
