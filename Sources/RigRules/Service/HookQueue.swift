package import CaptureModel
import DequeModule
package import RigProtocol

/// Captures that have ended, and whose end somebody is yet to be told of; pure.
///
/// ```
/// under way --ends--> waiting --its turn--> told --ends otherwise, as late photos come--> waiting
/// ```
package struct HookQueue: Sendable {
    /// A capture's end.
    package struct Entry: Hashable, Sendable {
        /// Which one.
        package let uniqueID: UniqueID
        /// How it ended.
        package let state: CaptureState
    }

    /// The most that wait, and the most whose end is remembered.
    static let most = (waiting: 1000, known: 10_000)

    private var waiting: Deque<Entry> = []
    /// How captures ended, and in which order that was learned.
    private var known: [UniqueID: CaptureState] = [:]
    private var order: Deque<UniqueID> = []

    package init() {}

    /// Takes news.
    ///
    /// - Returns: the capture that is left out, as too many wait.
    package mutating func take(_ notice: Notice) -> UniqueID? {
        guard case .capture(let capture) = notice, capture.state.isFinal, known[capture.uniqueID] != capture.state
        else {
            return nil
        }
        if known.updateValue(capture.state, forKey: capture.uniqueID) == nil {
            order.append(capture.uniqueID)
            if order.count > Self.most.known { known[order.removeFirst()] = nil }
        }
        waiting.append(Entry(uniqueID: capture.uniqueID, state: capture.state))
        return waiting.count > Self.most.waiting ? waiting.removeFirst().uniqueID : nil
    }

    /// The one that is next; nil where none waits.
    package mutating func next() -> Entry? { waiting.popFirst() }
}
