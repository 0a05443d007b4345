import CaptureModel

/// Orders to a camera's controls, first in, first out, each kept until the frame on which it is in force; pure.
///
/// ```
/// waiting --a frame arrives: written--> sent --the frame on which all of it is in force--> done
/// ```
///
/// A write is made right after a frame has arrived, never in between: only then is it known when it acts.
struct ControlQueue: Sendable {
    /// What the camera is to be told: the automatic first, then the values.
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

    /// An order was carried out, and is in force from this frame on.
    mutating func sent(_ id: Int, inForceOn frame: UInt32) {
        sent.append(Sent(id: id, frame: frame))
    }

    /// A frame has arrived. Returns the orders that come into force with it, in the order they were given.
    mutating func frame(_ number: UInt32) -> [Int] {
        let count = sent.prefix { !$0.frame.isAfter(number) }.count
        defer { sent.removeFirst(count) }
        return sent.prefix(count).map(\.id)
    }

    /// None of them will come into force any more. Returns every order, in the order they were given.
    mutating func removeAll() -> [Int] {
        defer { (waiting, sent) = ([], []) }
        return sent.map(\.id) + waiting.map(\.id)
    }
}
