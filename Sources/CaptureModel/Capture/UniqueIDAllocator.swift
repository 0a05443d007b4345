/// Hands out strictly increasing ids; pure, time comes in as a value.
package struct UniqueIDAllocator: Sendable {
    /// The greatest id handed out or observed so far.
    package private(set) var last: UniqueID

    /// Starts above every id that the caller knows of.
    package init(last: UniqueID = UniqueID(rawValue: 0)) {
        self.last = last
    }

    /// The id for a capture that begins now.
    ///
    /// - Parameter time: by a clock that may stand still or step back.
    package mutating func next(at time: UTCTime) -> UniqueID {
        last = UniqueID(rawValue: max(time.rawValue, last.rawValue + 1))
        return last
    }

    /// Notes an id that somebody else has seen, so that it is never handed out again.
    ///
    /// A catalogue restored from an old backup forgets ids; the nodes' spools remember them.
    package mutating func observe(_ id: UniqueID) {
        last = max(last, id)
    }
}
