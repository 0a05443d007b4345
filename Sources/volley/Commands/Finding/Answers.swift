import ArgumentParser
import CaptureModel
import Catalogue
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// Where questions about captures go: to the coordinator, or to a catalogue.
struct QuestionOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions
    @Option(help: "Read this library's catalogue directly, without a coordinator.") var library: String?

    /// Asks, and ends the connection.
    func ask<Answer>(_ body: (Answers) async throws -> Answer) async throws -> Answer {
        if let library { return try await body(.catalogue(try openCatalogue(library: library), library: library)) }
        let client = try rig.connect()
        defer { client.close() }
        return try await body(.coordinator(client))
    }
}

/// Who answers questions about captures.
enum Answers {
    case coordinator(OperatorClient)
    case catalogue(Catalogue, library: String)

    /// The library on this machine; nil where the coordinator answers.
    var library: String? {
        if case .catalogue(_, let library) = self { library } else { nil }
    }

    func captures(_ filter: CaptureFilter) async throws -> Found<CaptureSummary> {
        switch self {
        case .catalogue(let catalogue, _): return try await catalogue.captures(filter)
        case .coordinator(let client):
            let reply = try await client.ask(CapturesRequest(filter: filter))
            if reply.matchCount == nil {
                Output.words("The coordinator is of an older release, and may not know all of what was asked for.")
            }
            return Found(
                items: reply.captures, matchCount: reply.matchCount ?? reply.captures.count,
                remarks: reply.remarks ?? [])
        }
    }

    /// - Returns: the photos, and the library that their paths are relative to.
    func photos(_ filter: PhotoFilter) async throws -> (Found<FoundPhoto>, library: String) {
        switch self {
        case .catalogue(let catalogue, let library): return (try await catalogue.photos(filter), library)
        case .coordinator(let client):
            let reply = try await client.ask(PhotosRequest(filter: filter))
            return (reply.found, reply.library)
        }
    }

    func sessions(since: Instant?, limit: Int) async throws -> [SessionSummary] {
        switch self {
        case .catalogue(let catalogue, _): try await catalogue.sessions(since: since, limit: limit)
        case .coordinator(let client): try await client.ask(SessionsRequest(since: since, limit: limit)).sessions
        }
    }

    func labels(since: Instant?, limit: Int) async throws -> [LabelSummary] {
        switch self {
        case .catalogue(let catalogue, _): try await catalogue.labels(since: since, limit: limit)
        case .coordinator(let client): try await client.ask(LabelsRequest(since: since, limit: limit)).labels
        }
    }

    /// Where the rig's cameras stand; nil where that is not known.
    func geometry(_ request: GeometryRequest) async throws -> RigGeometry? {
        switch self {
        case .coordinator(let client): return try await client.ask(request).geometry
        case .catalogue(let catalogue, _):
            if let version = request.version { return try await catalogue.geometry(version: version) }
            return try await catalogue.geometry(at: request.at ?? .now)
        }
    }

    /// The captures that are meant, all of them, the oldest first.
    func allCaptures(_ filter: CaptureFilter) async throws -> [UniqueID] {
        var filter = filter
        filter.limit = 10_000
        let found = try await captures(filter)
        guard found.matchCount == found.items.count else {
            throw ValidationError("These are more than 10000 captures; take them in turns, with --since and --until.")
        }
        return found.items.map(\.uniqueID).reversed()
    }

    /// Photos of one capture, which the filter names: all of them, however many they are.
    func allPhotos(_ filter: PhotoFilter) async throws -> [FoundPhoto] {
        var filter = filter
        filter.limit = 10_000
        let found = try await photos(filter).0
        guard found.items.count < found.matchCount, let id = filter.captures.digits,
            let reference = CaptureReference(argument: id)
        else { return found.items }
        var photos: [FoundPhoto] = []
        for node in try await capture(reference).nodes.map(\.node)
        where filter.nodes.isEmpty || filter.nodes.contains(where: { $0.matches(node) }) {
            var ofNode = filter
            ofNode.nodes = [NodePattern(node)]
            photos += try await self.photos(ofNode).0.items
        }
        return photos
    }

    /// Everything about one capture.
    func capture(_ reference: CaptureReference) async throws -> CaptureDetail {
        let id = try await reference.resolve(self)
        switch self {
        case .coordinator(let client): return try await client.ask(ShowRequest(uniqueID: id)).capture
        case .catalogue(let catalogue, let library):
            guard let capture = try await catalogue.capture(id) else {
                throw OperatorClient.ClientError.refused(Refusal(.notFound, "There is no capture \(id) in \(library)."))
            }
            return capture
        }
    }
}
