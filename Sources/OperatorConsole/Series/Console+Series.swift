import CaptureModel
import Documents
import HTTPTypes
import Hummingbird
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// Plans that are fired repeatedly.
extension Console {
    func addSeries(_ router: Router<ConsoleContext>) {
        router.post("series/:number/stop") { _, context in
            _ = try stop(context)
            return Response.redirect(to: "/fire", type: .normal)
        }
        let version = router.group("api/v1")
        version.get("series") { _, _ in Response.json(series.standings.map(SeriesDocument.init)) }
        version.post("series") { request, _ in
            let members = FireRequest.members.subtracting(["queue"]).union(["every", "count", "late"])
            let body = try await request.object(known: members)
            let order = try await FireRequest(body, time: time)
            let repetition = try Repetition(try body.decode(Repetition.Body.self))
            return Response.json(SeriesDocument(try await begin(order, repetition)), status: .accepted)
        }
        version.post("series/:number/stop") { _, context in Response.json(SeriesDocument(try stop(context))) }
    }

    /// Begins a series, where the rig has nothing against it for good; the same request, made again, is the same series.
    func begin(_ order: FireRequest, _ repetition: Repetition) async throws -> SeriesDesk.Standing {
        if let known = series.standing(of: order.requestID) { return try agreed(known, order, repetition) }
        try await client.requireKnowledge(of: order.plan)
        let planned = try await planned(order, repetition)
        var check: CheckReply?
        do {
            check = try await client.ask(planned.check)
        } catch OperatorClient.ClientError.refused(let refusal) where refusal.isPassing {
            // What is in the way now may be gone when its time comes.
        }
        let begun = try series.begin(planned, remark: check.flatMap(planned.objection).map { $0 + "." })
        // Another with this ID may have come meanwhile.
        return try agreed(begun, order, repetition)
    }

    /// A series that a request's ID names.
    ///
    /// - Throws: ``ConsoleError`` where the request wants another one.
    private func agreed(
        _ known: SeriesDesk.Standing, _ order: FireRequest, _ repetition: Repetition
    ) throws(ConsoleError) -> SeriesDesk.Standing {
        let difference = known.series.difference(
            from: order, interval: repetition.interval, count: repetition.count, lateness: repetition.lateness)
        guard let difference else { return known }
        throw ConsoleError(
            .badRequest,
            "Nothing was fired: this request's ID is that of series \(known.number), which has another \(difference); "
                + "each series needs an ID of its own.")
    }

    func planned(_ order: FireRequest, _ repetition: Repetition) async throws -> CaptureSeries {
        let now = order.at == nil ? .now : try await coordinatorTime()
        do throws(Refusal) {
            return try CaptureSeries(
                order, interval: repetition.interval, count: repetition.count, lateness: repetition.lateness,
                now: now)
        } catch {
            throw ConsoleError(.badRequest, error.message)
        }
    }

    /// What became of the captures of the newest series, by their numbers, where they are not complete.
    func losses() async -> [Int: String] {
        var losses: [Int: String] = [:]
        for standing in series.standings.prefix(SeriesDesk.most) where !standing.captures.isEmpty {
            var words: [String] = []
            for state in [CaptureState.failed, .partial] {
                var filter = CaptureFilter()
                (filter.labels, filter.states, filter.limit) = ([CaptureSeries.label: standing.series.name], [state], 1)
                if let count = try? await captures(filter).matchCount, count > 0 {
                    words.append("\(count) \(state.rawValue)")
                }
            }
            if !words.isEmpty { losses[standing.number] = words.joined(separator: ", ") }
        }
        return losses
    }

    private func stop(_ context: ConsoleContext) throws(ConsoleError) -> SeriesDesk.Standing {
        guard let standing = context.parameters.get("number").flatMap({ Int($0) }).flatMap(series.stop) else {
            throw ConsoleError(
                .notFound, "There is no such series; the console remembers the last \(SeriesDesk.mostRemembered).")
        }
        return standing
    }
}

extension Refusal {
    /// Whether what is in the way may be gone later.
    var isPassing: Bool { code == .unavailable || code == .tryAgain }
}

/// How often something is fired.
struct Repetition {
    struct Body: Decodable {
        let every: String
        let count: Int
        let late: String?
    }

    private static let mostCaptures = 100_000
    private static let leastInterval = Int64.milliseconds(100)

    /// In nanoseconds.
    let interval: Int64
    let count: Int
    let lateness: CaptureSeries.Lateness

    /// What a program wants.
    init(_ body: Body) throws(ConsoleError) { try self.init(body.every, body.count, body.late) }

    /// What a page wants; nil where it is to be fired once.
    init?(_ form: Query) throws(ConsoleError) {
        guard form.text("every") != nil || form.text("count") != nil else { return nil }
        let count = try form.value("count", wanted: "1 to \(Self.mostCaptures)") { text in
            Int(text).flatMap { 1...Self.mostCaptures ~= $0 ? $0 : nil }
        }
        guard let every = form.text("every"), let count else {
            throw ConsoleError(.badRequest, "A series needs both Every and How many.")
        }
        try self.init(every, count, (form.has("queue") ? CaptureSeries.Lateness.wait : .skip).rawValue)
    }

    private init(_ every: String, _ count: Int, _ late: String?) throws(ConsoleError) {
        guard let interval = TimeSpan.interval(every), interval >= Self.leastInterval else {
            throw ConsoleError(
                .badRequest, "'every' should be \(TimeSpan.wantedInterval), and 100ms at least, not '\(every)'.")
        }
        guard (1...Self.mostCaptures).contains(count) else {
            throw ConsoleError(.badRequest, "'count' should be 1 to \(Self.mostCaptures), not \(count).")
        }
        guard let lateness = CaptureSeries.Lateness(rawValue: late ?? CaptureSeries.Lateness.skip.rawValue) else {
            throw ConsoleError(.badRequest, "'late' should be skip or wait, not '\(late ?? "")'.")
        }
        (self.interval, self.count, self.lateness) = (interval, count, lateness)
    }
}

/// A series, for programs.
private struct SeriesDocument: Encodable {
    /// By its label all captures are found.
    private static let mostCaptures = 100

    let number: Int
    let name: String
    let state: SeriesDesk.Standing.State
    let intervalNanoseconds: Int64
    let startsAt: WallTime
    let count, reachedCount, acceptedCount: Int
    let captures: [UniqueID]
    let remarks: [String]

    init(_ standing: SeriesDesk.Standing) {
        (number, name, state) = (standing.number, standing.series.name, standing.state)
        (intervalNanoseconds, count) = (standing.series.interval, standing.series.count)
        (startsAt, reachedCount) = (WallTime(standing.series.start), standing.reached)
        acceptedCount = standing.captures.count
        (captures, remarks) = (standing.captures.suffix(Self.mostCaptures), standing.remarks)
    }
}
