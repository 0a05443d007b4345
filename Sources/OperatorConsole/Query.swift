import CaptureModel
import Foundation
import Hummingbird
import Programs
import RigConfiguration

/// What a request says behind its question mark, or a form in its body.
struct Query {
    private let values: [(name: String, value: String)]

    /// - Throws: ``ConsoleError`` for what is no text.
    init(_ request: Request) throws(ConsoleError) { try self.init(encoded: request.uri.query ?? "") }

    /// - Throws: ``ConsoleError`` for what is no text.
    init(encoded: String) throws(ConsoleError) {
        var values: [(String, String)] = []
        for pair in encoded.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let words = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = words[0], let value = words.count > 1 ? words[1] : "" else {
                throw ConsoleError(.badRequest, "What was asked cannot be read: '\(pair)' is no text.")
            }
            values.append((name, value))
        }
        self.values = values
    }

    /// Those that are not among the known ones; a question that is misspelt has another answer.
    func refuseOthers(than known: Set<String>) throws(ConsoleError) {
        guard let other = values.first(where: { !known.contains($0.name) }) else { return }
        throw ConsoleError(
            .badRequest, "There is no '\(other.name)' to ask for; there are \(known.sorted().joined(separator: ", ")).")
    }

    private init(_ values: [(name: String, value: String)]) { self.values = values }

    static let empty = Query([])

    func only(_ names: Set<String>) -> Query { Query(values.filter { names.contains($0.name) }) }

    func without(_ names: Set<String>) -> Query { Query(values.filter { !names.contains($0.name) }) }

    /// What it says, in its order; nothing that is empty.
    var fields: [(name: String, value: String)] { values.filter { !$0.value.isEmpty } }

    /// Whether it says anything of that name, even that it is empty.
    func has(_ name: String) -> Bool { values.contains { $0.name == name } }

    /// The value that is not empty.
    func text(_ name: String) -> String? { all(name).first }

    func all(_ name: String) -> [String] {
        values.filter { $0.name == name }.map { $0.value.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Words with commas or spaces between them.
    func words(_ name: String) -> [String] {
        all(name).flatMap { $0.split { $0 == "," || $0.isWhitespace } }.map(String.init)
    }

    /// A value that is one of a kind.
    ///
    /// - Parameter wanted: what it should be, in words.
    func value<Value>(
        _ name: String, wanted: String, _ read: (String) -> Value?
    ) throws(ConsoleError) -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = read(text) else {
            throw ConsoleError(.badRequest, "'\(name)' should be \(wanted), not '\(text)'.")
        }
        return value
    }
}

extension CaptureFilter {
    private static let names: Set = [
        "id", "session", "subject", "label", "node", "plan", "operator", "camera", "reason", "error", "state",
        "verification", "minRating", "rejected", "minSpread", "since", "until", "order", "limit",
    ]
    /// The most captures of one answer.
    static let mostCaptures = 1000

    /// Captures as `volley captures` chooses them.
    ///
    /// - Throws: ``ConsoleError`` that names the value which is none.
    init(_ query: Query, limit: Int) throws(ConsoleError) {
        self.init()
        try query.refuseOthers(than: Self.names)
        (digits, session, subject, plan) = (
            query.text("id"), query.text("session"), query.text("subject"), query.text("plan")
        )
        (camera, reason) = (query.text("camera"), query.text("reason"))
        for label in query.all("label") {
            guard let sign = label.firstIndex(of: "=") else {
                throw ConsoleError(.badRequest, "'label' should be KEY=VALUE, not '\(label)'.")
            }
            labels[String(label[..<sign])] = String(label[label.index(after: sign)...])
        }
        nodes =
            try query.value("node", wanted: "a name, or a pattern such as top-*") {
                NodePattern(rawValue: $0).map { [$0] }
            } ?? []
        states =
            try query.value("state", wanted: CaptureState.allCases.map(\.rawValue).joined(separator: ", ")) {
                CaptureState(rawValue: $0).map { [$0] }
            } ?? []
        firedBy = try query.value("operator", wanted: "an operator's name") { NodeName($0) }
        verification = try query.value("verification", wanted: "verified, mismatch or unverifiable") {
            ["verified", "mismatch", "unverifiable"].contains($0) ? $0 : nil
        }
        error = try query.value("error", wanted: "the code of an error") { CaptureError.Code(rawValue: $0) }
        minRating = try query.value("minRating", wanted: "1 to 5") { Int($0).flatMap { 1...5 ~= $0 ? $0 : nil } }
        isRejected = try query.value("rejected", wanted: "true or false") { Bool($0) }
        minSpreadNanoseconds = try query.value("minSpread", wanted: "milliseconds, 0 to 60000") { text in
            Double(text).flatMap { 0...60_000 ~= $0 ? Int64($0 * 1e6) : nil }
        }
        (since, until) = (try Self.time("since", query), try Self.time("until", query))
        order = try query.value("order", wanted: "newest or spread") { Order(rawValue: $0) } ?? .newest
        self.limit =
            try query.value("limit", wanted: "1 to \(Self.mostCaptures)") { text in
                Int(text).flatMap { 1...Self.mostCaptures ~= $0 ? $0 : nil }
            } ?? limit
    }

    private static func time(_ name: String, _ query: Query) throws(ConsoleError) -> Instant? {
        try query.value(name, wanted: "a time: \(TypedTime.examples), or microseconds since 1970") { text in
            // Digits alone are the ids and numbers of Volley's own documents.
            if text.count > 12, let number = Int64(text) { return .at(UTCTime(rawValue: number)) }
            return try? TypedTime(now: .now).instant(text, name == "until" ? .end(after: nil) : .past)
        }
    }
}

extension Query {
    /// The address of the same question with another value.
    func address(_ path: String, with name: String, _ value: String) -> String {
        Query(without([name]).values + [(name, value)]).address(path)
    }

    /// The address of the same question elsewhere.
    func address(_ path: String) -> String {
        var components = URLComponents()
        components.path = path
        if !values.isEmpty { components.queryItems = values.map { URLQueryItem(name: $0.name, value: $0.value) } }
        // A plus would be read as a space.
        return (components.string ?? path).replacing("+", with: "%2B")
    }
}
