import CaptureModel

/// The nodes' parts in a capture, by name, with the sums that every event asks for: over a thousand nodes nothing is
/// counted anew.
struct CaptureParts: Sendable, Sequence {
    private var parts: [NodeName: CapturePart]
    /// The parts that are still exposing.
    private(set) var exposingCount = 0
    /// The parts of which something is owed, or that are not decided on.
    private(set) var unsettledCount = 0
    private(set) var storedPhotoCount = 0
    private(set) var expectedPhotoCount = 0

    init(_ parts: [NodeName: CapturePart]) {
        self.parts = parts
        for part in parts.values { count(part, 1) }
    }

    var count: Int { parts.count }
    var keys: Dictionary<NodeName, CapturePart>.Keys { parts.keys }
    var values: Dictionary<NodeName, CapturePart>.Values { parts.values }

    subscript(node: NodeName) -> CapturePart? {
        get { parts[node] }
        _modify {
            if let part = parts[node] { count(part, -1) }
            defer { if let part = parts[node] { count(part, 1) } }
            yield &parts[node]
        }
    }

    func makeIterator() -> Dictionary<NodeName, CapturePart>.Iterator { parts.makeIterator() }

    private mutating func count(_ part: CapturePart, _ sign: Int) {
        if part.isExposing { exposingCount += sign }
        if !part.isSettled { unsettledCount += sign }
        storedPhotoCount += sign * part.stored.count
        expectedPhotoCount += sign * part.debt.photoCount
    }
}
