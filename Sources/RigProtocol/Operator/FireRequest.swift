package import CaptureModel

/// operator -> coordinator: capture this plan.
package struct FireRequest: OperatorMessage, Hashable {
    package typealias Reply = FireReply
    package static let type = "fireRequest"
    /// The furthest ahead that an appointment may lie, in nanoseconds: 30 days.
    package static let furthest = Int64.seconds(30 * 86_400)
    /// What a capture must leave free in the library, in bytes.
    package static let libraryReserve: Int64 = 64 << 20
    /// Chosen by the operator's command; a repeated request of the same id is the same capture.
    package var requestID: String
    /// What to capture.
    package var plan: Plan
    /// What the capture is grouped under, at most 200 characters; nil for nothing.
    package var session: String?
    /// What is before the cameras, at most 200 characters; nil for nothing. The capture is the next take of it.
    package var subject: String?
    /// What captures can be found by: at most 64, of at most 200 characters each.
    package var labels: [String: String]
    /// When the first exposure begins; nil for as soon as possible. A span is counted from when the coordinator reads it.
    package var at: Instant?
    /// Whether to wait for nodes that are busy with other captures; nil means no, so that it is refused.
    package var queue: Bool?

    package init(
        requestID: String, plan: Plan, session: String?, labels: [String: String], at: Instant? = nil,
        queue: Bool? = nil
    ) {
        self.requestID = requestID
        self.plan = plan
        self.session = session
        self.labels = labels
        (self.at, self.queue) = (at, queue)
    }

    /// Why it cannot be the same request as that of an earlier capture; nil where it can be.
    ///
    /// - Parameters:
    ///   - capture: the one that has the request's id.
    ///   - known: its plan; nil where that is not known any more.
    ///   - tags: what was said of it when it was asked for; nil where that may have been changed since.
    ///   - appointment: its time, as it was asked for; not looked at without the tags.
    package func refusal(
        of capture: UniqueID, _ known: Plan?, _ tags: PhotoTags? = nil, at appointment: Instant? = nil
    ) -> Refusal? {
        difference(known, tags, at: appointment).map { difference in
            Refusal(
                .invalid,
                "Nothing was fired: this request's ID is that of capture \(capture), which has another \(difference); "
                    + "each capture needs an ID of its own.")
        }
    }

    /// How it differs from the request with the same ID, in one word; nil if it does not, as far as is known.
    ///
    /// Of its time, less than a minute is no difference: who asks again may count from another now.
    package func difference(_ known: Plan?, _ tags: PhotoTags?, at appointment: Instant?) -> String? {
        if let known, known != plan { return "plan" }
        guard let tags else { return nil }
        if tags.session != session { return "session" }
        if tags.subject != subject { return "subject" }
        if tags.labels != labels { return "set of labels" }
        func isFar(_ one: Int64, _ other: Int64, by minute: Int64) -> Bool {
            let (apart, overflow) = one.subtractingReportingOverflow(other)
            return overflow || apart.magnitude >= minute.magnitude
        }
        let isSame =
            switch (appointment, at) {
            case (nil, nil): true
            case (.at(let known)?, .at(let time)?): !isFar(known.rawValue, time.rawValue, by: 60_000_000)
            case (.fromNow(let known)?, .fromNow(let span)?): !isFar(known, span, by: .seconds(60))
            case (.at?, _), (.fromNow?, _), (nil, _): false
            }
        return isSame ? nil : "time"
    }

    /// What is said of the capture.
    package var tags: PhotoTags { PhotoTags(session: session, subject: subject, labels: labels) }

    /// What a client leaves out has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        requestID = try values.decode(String.self, forKey: .requestID)
        plan = try values.decode(Plan.self, forKey: .plan)
        session = try values.decodeIfPresent(String.self, forKey: .session)
        subject = try values.decodeIfPresent(String.self, forKey: .subject)
        labels = try values.decodeIfPresent([String: String].self, forKey: .labels) ?? [:]
        at = try values.decodeIfPresent(Instant.self, forKey: .at)
        queue = try values.decodeIfPresent(Bool.self, forKey: .queue)
    }
}
