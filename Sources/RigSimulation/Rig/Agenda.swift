/// What is to happen, in the order of its time, and of its entry where times are equal: a binary heap.
struct Agenda<Element> {
    private var heap: [(time: Int64, number: Int, element: Element)] = []
    private var count = 0

    var isEmpty: Bool { heap.isEmpty }

    /// - Parameter time: in nanoseconds.
    mutating func add(_ element: Element, at time: Int64) {
        heap.append((time, count, element))
        count += 1
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next one; nil when there is none.
    mutating func next() -> (time: Int64, element: Element)? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while let child = [2 * parent + 1, 2 * parent + 2].filter({ $0 < heap.count }).min(by: isBefore),
            isBefore(child, parent)
        {
            heap.swapAt(child, parent)
            parent = child
        }
        return (first.time, first.element)
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (heap[one].time, heap[one].number) < (heap[other].time, heap[other].number)
    }
}
