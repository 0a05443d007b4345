/// How far somebody has heard the news; pure.
package struct NewsCursor: Sendable, Hashable {
    /// What becomes of a piece of news.
    package enum Verdict: Sendable, Hashable {
        /// It is the next one.
        case isNext
        /// It was had before.
        case isKnown
        /// Others lie between, and are to be asked for.
        case isBehindGap
    }

    /// The number of the last that was had.
    package private(set) var last: Int64

    /// - Parameter last: the number after which all is wanted.
    package init(after last: Int64) {
        self.last = last
    }

    /// Looks at news that came by itself.
    package mutating func take(_ number: Int64, previous: Int64) -> Verdict {
        if number <= last { return .isKnown }
        if previous > last { return .isBehindGap }
        last = number
        return .isNext
    }

    /// Everything up to a number was asked for and had.
    package mutating func advance(to number: Int64) { last = max(last, number) }
}
