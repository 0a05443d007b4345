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
    private struct State {
        var underWay: [Caller: AuditEntry] = [:]
        /// How many entries each operator has had in this minute.
        var counts: [NodeName: Int] = [:]
        var minute: Int64 = 0
        /// The keys that were turned away in this hour.
        var turnedAway: Set<String> = []
        var hour: Int64 = 0
        var refusedConnections = 0
        var refusedRequests = 0
    }

    /// The most entries of one operator in a minute: a program that is refused over and over must not fill a disk.
    private static let mostInAMinute = 300
    /// The most keys that are written down in an hour as turned away: strangers can make as many as they like.
    private static let mostTurnedAway = 100
    /// The most bytes of a request that are kept, and of what it was about and how.
    private static let (longestArguments, longestWords) = (10_000, 2000)

    /// What is to be written down, in order.
    let entries: AsyncStream<AuditEntry>
    private let input: AsyncStream<AuditEntry>.Continuation
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
    func begin(_ entry: AuditEntry, _ caller: Caller) {
        state.withLock { $0.underWay[caller] = entry }
    }

    /// Somebody is answered.
    package func end(_ reply: any WireMessage, to caller: Caller) {
        guard var entry = state.withLock({ $0.underWay.removeValue(forKey: caller) }) else { return }
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
            let minute = entry.at.rawValue / 60_000_000
            if minute != state.minute { (state.minute, state.counts) = (minute, [:]) }
            state.counts[entry.user, default: 0] += 1
            if refusal != nil { state.refusedRequests += 1 }
            return refusal == nil || state.counts[entry.user, default: 0] <= Self.mostInAMinute
        }
        if isKept { input.yield(entry) }
    }

    /// A board has let itself in.
    ///
    /// - Parameter code: what its join code begins with.
    package func joined(_ node: NodeName, key: String, code: String, at time: UTCTime) {
        input.yield(
            AuditEntry(
                at: time, user: node, key: key, act: "join", subject: node.rawValue, arguments: code,
                result: AuditEntry.done, message: "with join code \(code)"))
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
        input.yield(
            AuditEntry(
                at: time, user: owner ?? AuditEntry.unknown, key: key, act: "connect", subject: address,
                arguments: domain, result: Refusal.Code.notAllowed.rawValue, message: message))
    }

    /// How much was refused.
    package var metrics: [MetricFamily] {
        let (connections, requests) = state.withLock { ($0.refusedConnections, $0.refusedRequests) }
        var family = MetricFamily.counter(
            "volley_refusals_total", "Connections turned away for their keys, and what operators wanted done in vain.")
        family.add(Double(connections), ["of": "connections"])
        family.add(Double(requests), ["of": "requests"])
        return [family]
    }

    /// Nothing more comes.
    func close() { input.finish() }
}
