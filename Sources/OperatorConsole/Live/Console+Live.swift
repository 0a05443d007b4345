import CaptureModel
import Documents
import HTTPTypes
import Hummingbird
import Programs
import RigProtocol
import RigTransport

/// What cameras see, for pages and for programs.
///
/// A browser's request goes on to the coordinator as it is, and is the credit for one answer: nothing is kept here, and
/// nothing waits for a browser that is slow.
extension Console {
    /// A coordinator answers within two seconds, whatever its nodes do.
    private static let previewPatience = 5.0

    func addLive(_ router: Router<ConsoleContext>) {
        router.get("live") { _, _ in
            let news = news
            return pages.page("live", LiveView(try await client.ask(NodesRequest()).nodes, news: news))
        }
        let version = router.group("api/v1")
        version.get("previews") { request, _ in
            let query = try Query(request)
            try query.refuseOthers(than: ["size", "seen"])
            let (reply, bytes) = try await client.askForBytes(
                PreviewsRequest(size: try query.size, seen: try query.seen), seconds: Self.previewPatience)
            return try PicturesDocument.response(reply, bytes)
        }
        version.get("nodes/:node/preview") { request, context in
            let (query, node) = (try Query(request), try node(context))
            try query.refuseOthers(than: ["size"])
            return Response(
                status: .ok, headers: [.contentType: "image/jpeg"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await picture(of: node, try query.size))))
        }
    }

    /// The rig's nodes, of which this must be one.
    @discardableResult
    func requireNode(_ name: NodeName) async throws -> [NodeSummary] {
        let nodes = try await client.ask(NodesRequest()).nodes
        guard nodes.contains(where: { $0.name == name }) else {
            throw ConsoleError(.notFound, "There is no node \(name).")
        }
        return nodes
    }

    /// What a camera sees; an answer without it and without a reason is asked for again.
    private func picture(of node: NodeName, _ size: PreviewSize) async throws -> [UInt8] {
        for _ in 0..<3 {
            let (reply, bytes) = try await client.askForBytes(
                PreviewsRequest(size: size, seen: [node: 0]), seconds: Self.previewPatience)
            if !reply.pictures.isEmpty { return bytes }
            if let problem = reply.problems[node.rawValue] {
                try await requireNode(node)
                throw ConsoleError(.serviceUnavailable, problem.printableLine)
            }
        }
        throw ConsoleError(.serviceUnavailable, "Node \(node) is busy, and has sent no picture yet.")
    }
}

extension Query {
    fileprivate var size: PreviewSize {
        get throws(ConsoleError) { try value("size", wanted: "tile or large") { PreviewSize(rawValue: $0) } ?? .tile }
    }

    /// For each node the number of the picture that was seen last: `cam-01:17`.
    fileprivate var seen: [NodeName: Int] {
        get throws(ConsoleError) {
            var seen: [NodeName: Int] = [:]
            for text in all("seen") {
                let parts = text.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, let name = NodeName(String(parts[0])), let number = Int(parts[1]), number >= 0
                else { throw ConsoleError(.badRequest, "'seen' should be NODE:NUMBER, not '\(text)'.") }
                seen[name] = number
            }
            return seen
        }
    }
}

/// What `/api/v1/previews` says of the pictures that follow.
private struct PicturesDocument: Encodable {
    struct Picture: Encodable {
        let node: NodeName
        let number, byteCount: Int
        /// Of the camera's frame.
        let width, height: Int?
        /// In words.
        let exposure: String?
        /// Who chose it.
        let exposureMode: ExposureMode?

        init(_ picture: PreviewsReply.Picture) {
            (node, number, byteCount) = (picture.node, picture.number, picture.byteCount)
            (width, height) = (picture.dimensions?.width, picture.dimensions?.height)
            exposure = picture.exposure.flatMap {
                $0.duration == nil && $0.iso == nil ? nil : Sentences.exposure($0.duration, $0.iso)
            }
            exposureMode = picture.exposureMode
        }
    }

    let pictures: [Picture]
    let problems: [String: String]

    /// The document, and then the pictures in its order (RFC 2046).
    static func response(_ reply: PreviewsReply, _ bytes: [UInt8]) throws -> Response {
        guard reply.pictures.allSatisfy({ $0.byteCount > 0 }),
            reply.pictures.reduce(0, { $0 + $1.byteCount }) == bytes.count
        else { throw ConsoleError(.badGateway, "The coordinator sent other pictures than it said.") }
        let boundary = String(UInt64.random(in: .min ... .max), radix: 36)
        let document = PicturesDocument(
            pictures: reply.pictures.map { Picture($0) }, problems: reply.problems.mapValues(\.printableLine))
        let text = JSONText.of(document)
        var body = ByteBuffer()
        body.reserveCapacity(bytes.count + text.utf8.count + 100 * (reply.pictures.count + 1))
        func begin(_ type: String, _ length: Int) {
            body.writeString("--\(boundary)\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n")
        }
        begin("application/json", text.utf8.count)
        body.writeString(text + "\r\n")
        var rest = bytes[...]
        for picture in reply.pictures {
            begin("image/jpeg", picture.byteCount)
            body.writeBytes(rest.prefix(picture.byteCount))
            body.writeString("\r\n")
            rest = rest.dropFirst(picture.byteCount)
        }
        body.writeString("--\(boundary)--\r\n")
        return Response(
            status: .ok, headers: [.contentType: "multipart/mixed; boundary=\(boundary)"],
            body: ResponseBody(byteBuffer: body))
    }
}
