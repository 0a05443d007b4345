package import CaptureModel
import FoundationEssentials
package import RigProtocol
import Synchronization

/// What operators had done, or wanted done, until it is written down.
///
/// ```
/// request --begin--> under way --its answer--> entries --> catalogue
/// at the door: joined, turned away -----------------^
/// ```
///
/// Firing does not wait for it: who fired a capture, or cancelled it, is in the catalogue with the capture itself.
package final class AuditTrail: Sendable {
    /// What is written down, or completed where it stands already.
    struct Note: Sendable {
        var entry: AuditEntry
        /// Its row, where it was written down before it was done.
        var row: Int64?
    }

    private struct State {
        var underWay: [Caller: Note] = [:]
        /// What each operator has had written down in this minute.
        var spent: [NodeName: Budget] = [:]
        var minute: Int64 = 0
        var dropped = 0
        /// The keys that were turned away in this hour.
        var turnedAway: Set<String> = []
        var hour: Int64 = 0
        var refusedConnections = 0
        var refusedRequests = 0
        /// How often each operator was refused in this minute.
        var refused: [NodeName: Int] = [:]

        mutating func begin(minuteOf time: UTCTime) {
            let minute = time.rawValue / 60_000_000
            if minute != self.minute { (self.minute, spent, refused) = (minute, [:], [:]) }
        }
    }

    /// What one operator may have written down in a minute.
    struct Budget: Sendable {
        var entries = 0
        var bytes = 0

        /// Of whoever may do something, of whoever may only look, and of what is refused: no program may fill a disk.
        static let acts = Budget(entries: 1000, bytes: 4 << 20)
        static let notes = Budget(entries: 300, bytes: 64 << 10)
        static let refusals = 300

        mutating func take(_ entry: AuditEntry) {
            entries += 1
            bytes += entry.arguments.utf8.count + (entry.message?.utf8.count ?? 0) + (entry.subject?.utf8.count ?? 0)
        }
    }

    /// The most keys that are written down in an hour as turned away: strangers can make as many as they like.
    private static let mostTurnedAway = 100
    /// The most bytes of a request that are kept, and of what it was about and how.
    private static let (longestArguments, longestWords) = (10_000, 2000)

    /// What is to be written down, in order.
    let entries: AsyncStream<Note>
    private let input: AsyncStream<Note>.Continuation
    private let state = Mutex(State())

    package init() {
        (entries, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(10_000))
    }

    /// The entry of a request that has come; nil for a question.
    static func entry(_ request: OperatorRequest, _ caller: Caller, at time: UTCTime) -> AuditEntry? {
        guard let act = request.act else { return nil }
        let arguments = (try? JSONEncoder().encode(request.body)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return AuditEntry(
            at: time, user: caller.user, key: caller.key, act: act.name, subject: cut(act.subject, longestWords),
            arguments: cut(arguments, longestArguments), result: AuditEntry.asked,
            message: act.manner.map { cut($0, longestWords) })
    }

    private static func cut(_ text: String, _ most: Int) -> String {
        text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self)
    }

    /// An act is under way; its answer tells what comes of it.
    ///
    /// - Parameter row: where it stands already.
    func begin(_ entry: AuditEntry, _ caller: Caller, row: Int64? = nil) {
        state.withLock { $0.underWay[caller] = Note(entry: entry, row: row) }
    }

    /// Why an act is not done, as its operator has had so much written down lately; nil where it may be.
    ///
    /// - Parameter role: what its operator may do.
    func objection(to entry: AuditEntry, _ role: Role) -> Refusal? {
        let budget = role == .watch ? Budget.notes : .acts
        let isWithin = state.withLock { state in
            state.begin(minuteOf: entry.at)
            state.spent[entry.user, default: Budget()].take(entry)
            let spent = state.spent[entry.user, default: Budget()]
            return spent.entries <= budget.entries && spent.bytes <= budget.bytes
        }
        return isWithin
            ? nil
            : Refusal(
                .tryAgain, "Nothing was done: \(entry.user) has had too much done in this minute; go on in the next.")
    }

    /// Somebody is answered.
    package func end(_ reply: any WireMessage, to caller: Caller) {
        guard let note = state.withLock({ $0.underWay.removeValue(forKey: caller) }) else { return }
        var entry = note.entry
        let refusal = reply as? Refusal
        let isVain = (reply as? CameraReply)?.isVain ?? false
        entry.result = refusal?.code.rawValue ?? (isVain ? Refusal.Code.unavailable.rawValue : AuditEntry.done)
        let outcome =
            refusal?.message ?? (reply as? MemberReply)?.remark ?? (reply as? AnnotateReply)?.words
            ?? (reply as? CameraReply)?.words ?? (reply as? TrashReply)?.words
        let words = [entry.message, outcome].compactMap(\.self)
        entry.message = words.isEmpty ? nil : words.joined(separator: ": ")
        if let armed = reply as? ArmReply { entry.subject = armed.uniqueID.description }
        if let fired = reply as? FireReply { entry.subject = fired.uniqueID.description }
        // A board has a name only now; its words are among the arguments.
        if let member = reply as? MemberReply, entry.act == MemberRequest.Act.admit.rawValue {
            entry.subject = member.node.rawValue
        }
        let isKept = state.withLock { state in
            state.begin(minuteOf: entry.at)
            guard refusal != nil else { return true }
            state.refusedRequests += 1
            state.refused[entry.user, default: 0] += 1
            return state.refused[entry.user, default: 0] <= Budget.refusals
        }
        if isKept || note.row != nil { write(Note(entry: entry, row: note.row)) }
    }

    private func write(_ note: Note) {
        if case .dropped = input.yield(note) { drop() }
    }

    /// An entry is lost: the catalogue did not take it, or too many wait for it.
    func drop() { state.withLock { $0.dropped += 1 } }

    /// A board has let itself in.
    ///
    /// - Parameter code: what its join code begins with.
    package func joined(_ node: NodeName, key: String, code: String, at time: UTCTime) {
        let entry = AuditEntry(
            at: time, user: node, key: key, act: "join", subject: node.rawValue, arguments: code,
            result: AuditEntry.done, message: "with join code \(code)")
        write(Note(entry: entry))
    }

    /// Somebody was not let in; written down once an hour for each key, as whoever is refused tries again.
    ///
    /// - Parameters:
    ///   - domain: where to.
    ///   - owner: whose key it was before it was revoked.
    package func turnedAway(key: String, from address: String, domain: String, owner: NodeName?, at time: UTCTime) {
        let isKept = state.withLock { state in
            state.refusedConnections += 1
            let hour = time.rawValue / 3_600_000_000
            if hour != state.hour { (state.hour, state.turnedAway) = (hour, []) }
            // Revoked keys are as many as the rig revoked, and none is kept out by strangers.
            guard owner != nil || state.turnedAway.count < Self.mostTurnedAway else { return false }
            return state.turnedAway.insert(key).inserted
        }
        guard isKept else { return }
        let message = owner == nil ? "This key is not known here." : "This key was revoked."
        let entry = AuditEntry(
            at: time, user: owner ?? AuditEntry.unknown, key: key, act: "connect", subject: address,
            arguments: domain, result: Refusal.Code.notAllowed.rawValue, message: message)
        write(Note(entry: entry))
    }

    /// How much was refused.
    package var metrics: [MetricFamily] {
        let (connections, requests, dropped) = state.withLock {
            ($0.refusedConnections, $0.refusedRequests, $0.dropped)
        }
        var family = MetricFamily.counter(
            "volley_refusals_total", "Connections turned away for their keys, and what operators wanted done in vain.")
        family.add(Double(connections), ["of": "connections"])
        family.add(Double(requests), ["of": "requests"])
        let lost = MetricFamily.counter(
            "volley_audit_entries_dropped_total",
            "What was done and is not in the audit, as the catalogue did not take it."
        ).with(Double(dropped))
        return [family, lost]
    }

    /// Nothing more comes.
    func close() { input.finish() }
}
