import CaptureModel
import Foundation
import HTTPTypes
import Hummingbird
import Mustache

/// The pages, from templates that escape what they are given.
struct Pages: Sendable {
    private let library: MustacheLibrary

    init() {
        let sources = [
            "head": PackageResources.head_mustache, "foot": PackageResources.foot_mustache,
            "message": PackageResources.message_mustache, "captures": PackageResources.captures_mustache,
            "capture": PackageResources.capture_mustache, "nodes": PackageResources.nodes_mustache,
        ]
        let templates = sources.mapValues { bytes in
            guard let template = try? MustacheTemplate(string: String(decoding: bytes, as: UTF8.self)) else {
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
    /// - Parameter isForPrograms: whether as problem details (RFC 9457) instead of as a page.
    func failure(_ error: ConsoleError, isForPrograms: Bool) -> Response {
        guard isForPrograms else {
            let view = MessageView(
                title: error.status.reasonPhrase, message: error.message, details: error.details.map(\.printableLine))
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("documents hold texts and numbers") }
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}

/// A page of a sentence.
struct MessageView {
    let title: String
    let message: String
    var details: [String] = []
    var link: String?
    var isInside = false
    var hasDetails: Bool

    init(title: String, message: String, details: [String] = [], link: String? = nil, isInside: Bool = false) {
        (self.title, self.message, self.details) = (title, message, details)
        (self.link, self.isInside, hasDetails) = (link, isInside, !details.isEmpty)
    }
}
