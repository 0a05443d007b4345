package import CaptureModel
package import RigProtocol

/// A concern that stays until somebody has seen it, also where it has passed.
package struct Alarm: Hashable, Sendable, Codable {
    /// Which one; another each time that it comes back, so that nobody has seen what they were not shown.
    package fileprivate(set) var number: Int
    /// What is wrong, and with which node; nil where it is the rig's.
    package let cause: Concern.Cause
    package let node: NodeName?
    /// The same in a sentence, as it was last.
    package fileprivate(set) var words: String
    /// When it began, in UTC.
    package let since: UTCTime
    /// When it passed; nil while it lasts.
    package fileprivate(set) var until: UTCTime?
    /// How often it came back before it was seen, with the first time.
    package fileprivate(set) var count = 1
    /// Whether somebody has seen it.
    package fileprivate(set) var isSeen = false
}

/// The alarms of a rig; pure.
///
/// ```
///              observed for 10 s                    seen
///  (nothing) -------------------> lasts, unseen ------------> lasts, seen
///                                  |        ^                      |
///                           passed |        | comes back           | passed
///                                  v        |                      v
///                                passed, unseen -------------> (nothing)
///                                                    seen
/// ```
package struct AlarmBook: Sendable, Hashable, Codable {
    /// For how long something is wrong before it is an alarm: a node that starts its stream anew is none.
    package static let patience = Int64.seconds(10)

    /// In the order in which they began.
    package private(set) var alarms: [Alarm] = []
    /// Which news is in it; nil for none.
    package private(set) var newsNumber: Int64?
    private var lastNumber = 0
    /// What is wrong and not yet an alarm, and since when.
    private var candidates: [Key: UTCTime] = [:]

    private enum CodingKeys: CodingKey {
        case alarms, newsNumber, lastNumber
    }

    private struct Key: Hashable {
        let cause: Concern.Cause
        let node: NodeName?
    }

    package init() {}

    /// How many nobody has seen.
    package var unseenCount: Int { alarms.count { !$0.isSeen } }

    /// Takes in all that is wrong now.
    ///
    /// - Parameter concerns: nil where the coordinator does not answer, and nobody knows.
    package mutating func observe(_ concerns: [Concern]?, at now: UTCTime) {
        let away = Concern(.coordinatorAway, words: "The coordinator does not answer.")
        var wrong: [Key: String] = [:]
        for concern in concerns ?? [away] { wrong[Key(cause: concern.cause, node: concern.node)] = concern.words }
        for index in alarms.indices where alarms[index].cause != .captureIncomplete {
            let key = Key(cause: alarms[index].cause, node: alarms[index].node)
            if let words = wrong.removeValue(forKey: key) {
                // Another check that finds something is another occasion.
                let isOther = key.cause == .libraryDamaged && alarms[index].words != words
                if alarms[index].until != nil || isOther { renew(index) }
                (alarms[index].words, alarms[index].until) = (words, nil)
            } else if concerns != nil, alarms[index].until == nil {
                alarms[index].until = now
            }
        }
        if concerns != nil { candidates = candidates.filter { wrong[$0.key] != nil } }
        // In an order of their own: a dictionary's differs from run to run.
        for (key, words) in wrong.sorted(by: { $0.value < $1.value }) {
            let since = candidates[key] ?? now
            candidates[key] = since
            guard now.rawValue - since.rawValue >= Self.patience / 1000 else { continue }
            candidates[key] = nil
            add(key, words, since: since)
        }
        forgetSeen()
    }

    /// Takes in news: captures that lack something are an alarm together, until it is seen.
    ///
    /// - Parameter number: up to which news it is.
    package mutating func observe(_ news: [Notice], upTo number: Int64, at now: UTCTime) {
        newsNumber = number
        for case .capture(let notice) in news where [.partial, .failed].contains(notice.state) {
            let words =
                "Capture \(notice.uniqueID) is \(notice.state.rawValue)" + (notice.reason.map { ": \($0)" } ?? ".")
            if let index = alarms.firstIndex(where: { $0.cause == .captureIncomplete }) {
                renew(index)
                (alarms[index].words, alarms[index].until) = (words, now)
            } else {
                add(Key(cause: .captureIncomplete, node: nil), words, since: now, until: now)
            }
        }
    }

    /// Somebody has seen these.
    ///
    /// - Returns: how many of them there were.
    package mutating func see(_ numbers: Set<Int>) -> Int {
        var count = 0
        for index in alarms.indices where numbers.contains(alarms[index].number) && !alarms[index].isSeen {
            alarms[index].isSeen = true
            count += 1
        }
        forgetSeen()
        return count
    }

    private mutating func add(_ key: Key, _ words: String, since: UTCTime, until: UTCTime? = nil) {
        lastNumber += 1
        alarms.append(
            Alarm(number: lastNumber, cause: key.cause, node: key.node, words: words, since: since, until: until))
    }

    private mutating func renew(_ index: Int) {
        lastNumber += 1
        (alarms[index].number, alarms[index].isSeen) = (lastNumber, false)
        alarms[index].count += 1
    }

    private mutating func forgetSeen() { alarms.removeAll { $0.isSeen && $0.until != nil } }
}
