import DequeModule

/// Lets few through at a time, in the order in which they came.
package actor Turnstile {
    private var places: Int
    private let longestQueue: Int
    private var queue: Deque<CheckedContinuation<Void, Never>> = []

    /// - Parameters:
    ///   - places: how many it lets through at a time.
    ///   - longestQueue: how many may wait.
    package init(places: Int, longestQueue: Int) { (self.places, self.longestQueue) = (places, longestQueue) }

    /// Waits for a place, to be given back by ``leave()``.
    ///
    /// - Returns: false where too many wait already.
    package func enter() async -> Bool {
        if places > 0 {
            places -= 1
            return true
        }
        guard queue.count < longestQueue else { return false }
        await withCheckedContinuation { queue.append($0) }
        return true
    }

    /// Gives a place back.
    package func leave() {
        guard let next = queue.popFirst() else {
            places += 1
            return
        }
        next.resume()
    }
}
