import CaptureModel
import Foundation
import HTTPTypes
import Hummingbird
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol

extension Request {
    /// The most bytes of a body: a plan with its notes is far smaller.
    private static let mostBytes = 256 << 10

    private func bytes() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: Self.mostBytes)
        } catch {
            throw ConsoleError(.contentTooLarge, "The request is longer than \(Self.mostBytes) bytes.")
        }
    }

    /// What a form in a page says.
    func form() async throws -> Query { try Query(encoded: String(buffer: try await bytes())) }

    /// An object in JSON.
    ///
    /// - Parameter known: the members that it may have; one that is misspelt means something.
    func object(known: Set<String>) async throws -> JSONBody {
        guard headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
            throw ConsoleError(.unsupportedMediaType, "The body should be JSON, with 'Content-Type: application/json'.")
        }
        let data = Data(try await bytes().readableBytesView)
        guard let members = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ConsoleError(.badRequest, "The body should be an object in JSON.")
        }
        if let other = members.keys.sorted().first(where: { !known.contains($0) }) {
            let names = known.sorted().joined(separator: ", ")
            throw ConsoleError(.badRequest, "There is no '\(other)' here; there are \(names).")
        }
        return JSONBody(data: data, members: members)
    }
}

/// An object that a program sent.
struct JSONBody {
    fileprivate let data: Data
    fileprivate let members: [String: Any]

    /// - Throws: ``ConsoleError`` where a member is of another kind.
    func decode<Body: Decodable>(_ type: Body.Type) throws(ConsoleError) -> Body {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw ConsoleError(.badRequest, "'\(key.stringValue)' is missing.")
        } catch DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context) {
            throw Self.wrong(context, Self.words(type))
        } catch DecodingError.dataCorrupted(let context) {
            throw Self.wrong(context, "a whole number")
        } catch {
            throw ConsoleError(.badRequest, "The body cannot be read.")
        }
    }

    private static func wrong(_ context: DecodingError.Context, _ wanted: String) -> ConsoleError {
        let path = context.codingPath.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue }
        return ConsoleError(.badRequest, "'\(path.joined(separator: "."))' should be \(wanted).")
    }

    private static func words(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type: "a whole number"
        case is Bool.Type: "true or false"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// Whether there is something in it that may be a plan.
    var hasPlan: Bool { members["plan"] is String || members["plan"] is [String: Any] }

    /// The plan in it: an object of the members that a plan's file has, or the text of such a file.
    func plan() throws(ConsoleError) -> Plan {
        switch members["plan"] {
        case nil: throw ConsoleError(.badRequest, "'plan' is missing.")
        case let text as String: return try chosen(Plan(typed: text))
        case let object as [String: Any]:
            // JSON is YAML, too. The same object is the same plan, whatever the order of its members.
            guard let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else {
                fallthrough
            }
            return try chosen(Plan(typed: String(decoding: data, as: UTF8.self)))
        default: throw ConsoleError(.badRequest, "'plan' should be an object, or the text of a plan's file.")
        }
    }

    private struct Choice: Decodable {
        let nodes, groups: [String]?
    }

    private func chosen(_ plan: Plan) throws(ConsoleError) -> Plan {
        let choice = try decode(Choice.self)
        return try plan.choosing(nodes: choice.nodes ?? [], groups: choice.groups ?? [])
    }
}

extension Plan {
    /// As people write it.
    init(typed text: String) throws(ConsoleError) {
        do throws(PlanFile.Problem) {
            self = try PlanFile.read(text: text, from: "the plan")
        } catch {
            throw ConsoleError(.badRequest, "\(error)")
        }
    }

    /// The same for these nodes, as `volley fire` takes them; with none, for those that it names.
    func choosing(nodes: [String], groups: [String]) throws(ConsoleError) -> Plan {
        guard !nodes.isEmpty || !groups.isEmpty else { return self }
        var plan = self
        let patterns = try nodes.map { text throws(ConsoleError) in
            guard let pattern = NodePattern(rawValue: text) else {
                throw ConsoleError(.badRequest, "'nodes' should be names, or patterns such as top-*, not '\(text)'.")
            }
            return pattern
        }
        (plan.nodes, plan.groups) = (patterns.isEmpty ? nil : patterns, groups.isEmpty ? nil : groups)
        return plan
    }
}

extension Query {
    /// Labels as they are typed, KEY=VALUE a line.
    fileprivate func labels(_ name: String) throws(ConsoleError) -> [String: String] {
        var labels: [String: String] = [:]
        for line in all(name).flatMap({ $0.split(whereSeparator: \.isNewline) }) {
            let words = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2 else {
                throw ConsoleError(.badRequest, "A label is KEY=VALUE, and not '\(line)'.")
            }
            let key = words[0].trimmingCharacters(in: .whitespaces)
            guard labels.updateValue(words[1].trimmingCharacters(in: .whitespaces), forKey: key) == nil else {
                throw ConsoleError(.badRequest, "The label '\(key)' is there twice.")
            }
        }
        return labels
    }

    /// What a field was changed to since the page was made, which has what it was in `was-NAME`; nil where it was not.
    fileprivate func change(_ name: String) -> String? {
        has(name) && text(name) != text("was-\(name)") ? text(name) ?? "" : nil
    }
}

extension FireRequest {
    private struct Identity: Decodable {
        let requestID: String
    }

    private struct Wish: Decodable {
        let session, subject, at: String?
        let labels: [String: String]?
        let queue: Bool?
    }

    /// What is only checked has no id.
    static let checkedMembers: Set = ["plan", "nodes", "groups", "session", "subject", "labels", "at", "queue"]
    static let members = checkedMembers.union(["requestID"])

    /// What a program wants to know whether it would be fired.
    ///
    /// - Parameter time: resolves a typed time, here and below.
    init(checked body: JSONBody, time: (String) async throws -> Instant) async throws {
        let plan = try body.plan()
        let wish = try body.decode(Wish.self)
        var at: Instant?
        if let text = wish.at { at = try await time(text) }
        self.init(
            requestID: "", plan: plan, session: wish.session, labels: wish.labels ?? [:], at: at, queue: wish.queue)
        subject = wish.subject
    }

    /// What a program wants to be fired.
    init(_ body: JSONBody, time: (String) async throws -> Instant) async throws {
        try await self.init(checked: body, time: time)
        requestID = try body.decode(Identity.self).requestID
        guard (1...200).contains(requestID.utf8.count) else {
            throw ConsoleError(
                .badRequest, "'requestID' should have 1 to 200 characters, and be another for each capture.")
        }
    }

    /// What a page wants to be fired.
    init(_ form: Query, time: (String) async throws -> Instant) async throws {
        let labels = try form.labels("labels")
        guard let requestID = form.text("requestID") else { throw ConsoleError(.badRequest, "The form is not whole.") }
        let plan = try Plan(typed: form.text("plan") ?? "")
        var at: Instant?
        if let text = form.text("at") { at = try await time(text) }
        self.init(
            requestID: requestID, plan: try plan.choosing(nodes: form.words("nodes"), groups: form.all("group")),
            session: form.text("session"), labels: labels, at: at,
            queue: form.has("queue") ? true : nil)
        subject = form.text("subject")
    }

    /// What a time that was typed means.
    fileprivate static func time(_ text: String, now: UTCTime) throws(ConsoleError) -> Instant {
        do throws(TypedTime.Problem) {
            return try TypedTime(now: now).instant(text, .future)
        } catch {
            throw ConsoleError(
                .badRequest, error.sentence(text, wanted: "'at' should be a time: \(TypedTime.futureExamples)"))
        }
    }
}

extension Console {
    /// What a time that was typed means: times of day count by the coordinator's clock, as in `volley fire --at`.
    func time(_ text: String) async throws -> Instant {
        let time = try FireRequest.time(text, now: .now)
        guard case .at = time else { return time }
        return try FireRequest.time(text, now: try await coordinatorTime())
    }

    /// What the coordinator's clock shows; this machine's where the two agree to a second.
    func coordinatorTime() async throws -> UTCTime {
        let clocks = try await ClockComparison.ask(client).clocks
        return .now + (clocks?.remark == nil ? 0 : clocks?.difference ?? 0)
    }
}

extension Annotation {
    private struct Body: Decodable {
        let rating: Int?
        let rejected: Bool?
        let note, session, subject: String?
        let labels: [String: String]?
        let removedLabels: [String]?
    }

    /// What is said of captures alone has no place there.
    static let membersOfPhotos: Set = ["rating", "rejected", "note"]
    static let members = membersOfPhotos.union(["session", "subject", "labels", "removedLabels"])

    /// What a program says of a capture.
    init(_ body: JSONBody) throws(ConsoleError) {
        let told = try body.decode(Body.self)
        self.init()
        (rating, isRejected, note, labels) = (told.rating, told.rejected, told.note, told.labels)
        (removedLabels, session, subject) = (told.removedLabels, told.session, told.subject)
    }

    /// What a page says of a capture.
    init(_ form: Query) throws(ConsoleError) {
        self.init()
        rating = try form.value("rating", wanted: "1 to 5, or 0 for none") { Int($0) }
        isRejected = try form.value("rejected", wanted: "true or false") { Bool($0) }
        // An empty one takes it away. What nobody changed here may have been changed elsewhere meanwhile.
        (note, session, subject) = (form.change("note"), form.change("session"), form.change("subject"))
        guard form.has("labels") else { return }
        let (now, before) = (try form.labels("labels"), try form.labels("was-labels"))
        let (added, removed) = (now.filter { before[$0.key] != $0.value }, before.keys.filter { now[$0] == nil })
        (labels, removedLabels) = (added.isEmpty ? nil : added, removed.isEmpty ? nil : removed.sorted())
    }
}
