/// How far a watcher has got with the news; pure.
package struct NewsCursor: Sendable, Hashable {
    /// What becomes of a piece of news.
    package enum Verdict: Sendable, Hashable {
        /// It is the next one.
        case isNext
        /// It has been seen before.
        case isKnown
        /// Others lie between, and have to be asked for.
        case isBehindGap
    }

    /// The number of the last that was seen.
    package private(set) var last: Int64

    /// - Parameter last: the number after which all news is wanted.
    package init(after last: Int64) {
        self.last = last
    }

    /// Takes news that arrived unasked.
    package mutating func take(_ number: Int64, previous: Int64) -> Verdict {
        if number <= last { return .isKnown }
        if previous > last { return .isBehindGap }
        last = number
        return .isNext
    }

    /// Notes that everything up to a number was asked for and received.
    package mutating func advance(to number: Int64) { last = max(last, number) }
}
