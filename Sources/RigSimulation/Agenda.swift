/// What is to happen, ordered by time, and by order of entry where times are equal: a binary heap.
struct Agenda<Element> {
    /// An entry of the heap is small: what is to happen may be large, and is not moved about.
    private var heap: [(time: Int64, number: Int)] = []
    private var elements: [Int: Element] = [:]
    private var count = 0

    var isEmpty: Bool { heap.isEmpty }

    /// - Parameter time: in nanoseconds.
    mutating func add(_ element: Element, at time: Int64) {
        heap.append((time, count))
        elements[count] = element
        count += 1
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the next one; nil if there is none.
    mutating func next() -> (time: Int64, element: Element)? {
        guard let first = heap.first, let element = elements.removeValue(forKey: first.number) else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, element)
    }
}
