package import CaptureModel
package import RigProtocol

/// A concern that stays until somebody has seen it, also where it has passed.
package struct Alarm: Hashable, Sendable, Codable {
    /// Which one, later than all before; another each time that it comes back, so that nobody has seen what they were not
    /// shown.
    package fileprivate(set) var number: Int64
    /// What is wrong, and with which node; nil where it is the rig's.
    package let cause: Concern.Cause
    package let node: NodeName?
    /// The same in a sentence, as it was last.
    package fileprivate(set) var words: String
    /// What tells this time from another.
    fileprivate var occasion: String
    /// When it began first, and when it came back last, in UTC.
    package let since: UTCTime
    package fileprivate(set) var last: UTCTime
    /// When it passed; nil while it lasts.
    package fileprivate(set) var until: UTCTime?
    /// How often it came before it was seen.
    package fileprivate(set) var count = 1
    /// Whether somebody has seen it.
    package fileprivate(set) var isSeen = false
}

/// The alarms of a rig; pure.
///
/// ```
///              three looks                          seen
///  (nothing) --------------> lasts, unseen -------------------> lasts, seen
///                             |         ^                            |
///              absent for     |         | three looks                | absent for
///              three looks    v         |                            v three looks
///                           passed, unseen ------------------> (nothing)
///                                                   seen
/// ```
package struct AlarmBook: Sendable, Codable {
    /// In how many looks on end something is there, or is not, before that counts: a node that starts its stream anew is
    /// no alarm, and a board that wavers about a limit is one.
    package static let patience = 3
    /// Of how many captures that lack something it is remembered that they were told.
    private static let mostCaptures = 1000
    /// How many reasons why captures lack something are told apart.
    static let mostReasons = 50

    /// In the order in which they came.
    package private(set) var alarms: [Alarm] = []
    /// Which news is in it; nil for none.
    package private(set) var newsNumber: Int64?
    private var lastNumber: Int64 = 0
    /// Those that lack something, told already.
    private var captures: [Incomplete] = []
    /// What is otherwise than it is in the book, in how many looks, and since when.
    private var changing: [Concern.Subject: (looks: Int, since: UTCTime)] = [:]

    private enum CodingKeys: CodingKey {
        case alarms, newsNumber, lastNumber, captures
    }

    private struct Incomplete: Codable {
        let id: UniqueID
        var state: CaptureState
        var words: String
        var isSeen = false

        /// Captures of one reason are an alarm together, whichever other captures it names.
        var occasion: String { String(words.trimmingPrefix("Capture \(id) ")).replacing(#/[0-9]{10,}/#, with: "ID") }
    }

    package init() {}

    /// How many nobody has seen.
    package var unseenCount: Int { alarms.count { !$0.isSeen } }

    /// Takes in a look at the rig.
    package mutating func observe(_ outlook: Outlook, at now: UTCTime) {
        let wrong = Dictionary(outlook.concerns.map { ($0.subject, $0) }) { first, _ in first }
        var settled = Set(changing.keys)
        for index in alarms.indices where alarms[index].cause != .captureIncomplete {
            let subject = Concern.Subject(alarms[index].cause, alarms[index].node)
            if let concern = wrong[subject] {
                if alarms[index].until == nil {
                    if alarms[index].occasion != concern.occasion { renew(index, now) }
                } else {
                    guard let since = confirmed(subject, now) else {
                        settled.remove(subject)
                        continue
                    }
                    alarms[index].until = nil
                    renew(index, since)
                }
                (alarms[index].words, alarms[index].occasion) = (concern.words, concern.occasion)
            } else if alarms[index].until == nil, outlook.knows(subject) {
                guard let since = confirmed(subject, now) else {
                    settled.remove(subject)
                    continue
                }
                alarms[index].until = since
            }
        }
        let known = Set(alarms.map { Concern.Subject($0.cause, $0.node) })
        for concern in outlook.concerns where !known.contains(concern.subject) {
            guard let since = confirmed(concern.subject, now) else {
                settled.remove(concern.subject)
                continue
            }
            add(concern, since: since)
        }
        for subject in settled { changing[subject] = nil }
        forgetSeen()
        alarms.sort { $0.number < $1.number }
    }

    /// Takes in news: captures that lack something for the same reason are an alarm together, until it is seen or they are
    /// complete.
    ///
    /// - Parameter number: up to which news it is.
    package mutating func observe(_ news: [Notice], upTo number: Int64) {
        newsNumber = number
        for case .capture(let notice) in news {
            // News is numbered by when it came, in microseconds, where it does not come faster.
            let time = UTCTime(rawValue: notice.number)
            let place = captures.firstIndex { $0.id == notice.uniqueID }
            switch notice.state {
            case .partial, .failed:
                if let place, captures[place].state == notice.state { continue }
                let verb = notice.state == .failed ? "failed" : "is partial"
                let words = "Capture \(notice.uniqueID) \(verb)" + (notice.reason.map { ": \($0)" } ?? ".")
                if let place { withdraw(captures.remove(at: place)) }
                let capture = Incomplete(id: notice.uniqueID, state: notice.state, words: words)
                captures.append(capture)
                captures = captures.suffix(Self.mostCaptures)
                alarm(capture, time)
            case .complete:
                guard let place else { continue }
                withdraw(captures.remove(at: place))
            case .preparing, .firing, .collecting, .cancelled: continue
            }
        }
    }

    private mutating func alarm(_ capture: Incomplete, _ time: UTCTime) {
        if let index = place(of: capture) {
            renew(index, time)
            (alarms[index].words, alarms[index].until) = (capture.words, time)
            alarms.append(alarms.remove(at: index))
        } else {
            let isApart = alarms.count { $0.cause == .captureIncomplete } < Self.mostReasons
            let occasion = isApart ? capture.occasion : ""
            add(
                Concern(.captureIncomplete, words: capture.words, occasion: occasion), since: time, until: time)
        }
    }

    /// Which alarm tells of a capture; where its reason has none, the one of all others.
    private func place(of capture: Incomplete) -> Int? {
        func index(_ occasion: String) -> Int? {
            alarms.firstIndex { $0.cause == .captureIncomplete && $0.occasion == occasion }
        }
        return index(capture.occasion) ?? index("")
    }

    /// The captures that an alarm tells of, the newest first; none where it is of something else.
    package func captures(of alarm: Alarm) -> [UniqueID] { unseen(alarm).reversed().map(\.id) }

    private func unseen(_ alarm: Alarm) -> [Incomplete] {
        guard alarm.cause == .captureIncomplete else { return [] }
        guard alarm.occasion.isEmpty else { return captures.filter { !$0.isSeen && $0.occasion == alarm.occasion } }
        let apart = Set(alarms.map(\.occasion))
        return captures.filter { !$0.isSeen && !apart.contains($0.occasion) }
    }

    /// It lacks something no longer, or something else, as photos came late.
    private mutating func withdraw(_ capture: Incomplete) {
        guard let index = place(of: capture) else { return }
        if let last = unseen(alarms[index]).last {
            alarms[index].words = last.words
        } else {
            alarms.remove(at: index)
        }
    }

    /// Somebody has seen these.
    ///
    /// - Returns: how many of them there were.
    package mutating func see(_ numbers: Set<Int64>) -> Int {
        var count = 0
        for index in alarms.indices where numbers.contains(alarms[index].number) && !alarms[index].isSeen {
            let seen = Set(captures(of: alarms[index]))
            for place in captures.indices where seen.contains(captures[place].id) { captures[place].isSeen = true }
            alarms[index].isSeen = true
            count += 1
        }
        forgetSeen()
        return count
    }

    /// Counts a look that shows something otherwise than it is in the book.
    ///
    /// - Returns: since when, once it has been so for long enough.
    private mutating func confirmed(_ subject: Concern.Subject, _ now: UTCTime) -> UTCTime? {
        let former = changing[subject] ?? (0, now)
        changing[subject] = (former.looks + 1, former.since)
        // A disk that is lost does not waver, and whoever works with the rig hears of it at once.
        let patience = subject.cause == .libraryTrouble ? 1 : Self.patience
        return former.looks + 1 >= patience ? former.since : nil
    }

    /// Numbers go on also where the book was lost.
    private mutating func next(_ time: UTCTime) -> Int64 {
        lastNumber = max(lastNumber + 1, time.rawValue)
        return lastNumber
    }

    private mutating func add(_ concern: Concern, since: UTCTime, until: UTCTime? = nil) {
        alarms.append(
            Alarm(
                number: next(since), cause: concern.cause, node: concern.node, words: concern.words,
                occasion: concern.occasion, since: since, last: since, until: until))
    }

    private mutating func renew(_ index: Int, _ time: UTCTime) {
        (alarms[index].number, alarms[index].isSeen, alarms[index].last) = (next(time), false, time)
        alarms[index].count += 1
    }

    private mutating func forgetSeen() { alarms.removeAll { $0.isSeen && $0.until != nil } }
}
