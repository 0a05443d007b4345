import CaptureModel

/// The orders to a camera's controls, first in first out, until the frame on which each is in force; pure.
///
/// ```
/// waiting --a frame arrives: written--> sent --the frame on which all of it is in force--> done
/// ```
///
/// A write is made right after a frame has arrived, never in between: only so is it known when it acts.
struct ControlQueue: Sendable {
    /// What the camera is to be told: first the automatic, then the values.
    struct Order: Hashable, Sendable {
        var automatic: CameraAutomatic?
        var values = ControlValues()
    }

    struct Entry: Hashable, Sendable {
        let id: Int
        let order: Order
    }

    private struct Sent {
        let id: Int
        let frame: UInt32
    }

    private var waiting: [Entry] = []
    private var sent: [Sent] = []

    mutating func add(_ id: Int, _ order: Order) {
        waiting.append(Entry(id: id, order: order))
    }

    /// The orders to carry out now.
    mutating func takeWaiting() -> [Entry] {
        defer { waiting = [] }
        return waiting
    }

    /// An order was carried out; in force from this frame on.
    mutating func sent(_ id: Int, inForceOn frame: UInt32) {
        sent.append(Sent(id: id, frame: frame))
    }

    /// A frame has arrived: the orders that are in force with it, in the order in which they were given.
    mutating func frame(_ number: UInt32) -> [Int] {
        let count = sent.prefix { !$0.frame.isAfter(number) }.count
        defer { sent.removeFirst(count) }
        return sent.prefix(count).map(\.id)
    }

    /// Nothing of it will be in force any more: every order, in order.
    mutating func removeAll() -> [Int] {
        defer { (waiting, sent) = ([], []) }
        return sent.map(\.id) + waiting.map(\.id)
    }
}
