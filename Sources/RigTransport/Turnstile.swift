import DequeModule

/// Lets few through at a time, in the order in which they came.
package actor Turnstile {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var places: Int
    private let longestQueue: Int
    private var queue: Deque<Waiter> = []
    private var lastNumber = 0

    /// - Parameters:
    ///   - places: how many it lets through at a time.
    ///   - longestQueue: how many may wait.
    package init(places: Int, longestQueue: Int) { (self.places, self.longestQueue) = (places, longestQueue) }

    /// Does something in its turn.
    ///
    /// - Parameter patience: how long to wait for a place; nil for as long as it takes.
    /// - Returns: nil where it was not let through, as ``enter(within:)`` says.
    package nonisolated func pass<Value: Sendable>(
        within patience: Duration? = nil, _ body: () async throws -> Value
    ) async rethrows -> Value? {
        guard await enter(within: patience) else { return nil }
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    /// Waits for a place, to be given back by ``leave()``.
    ///
    /// - Parameter patience: how long to wait; nil for as long as it takes.
    /// - Returns: false where too many wait already, where none became free in time, and where the task was cancelled.
    package func enter(within patience: Duration? = nil) async -> Bool {
        if places > 0 {
            places -= 1
            return true
        }
        guard queue.count < longestQueue else { return false }
        lastNumber += 1
        let number = lastNumber
        let limit = patience.map { patience in
            Task {
                try await Task.sleep(for: patience)
                giveUp(number)
            }
        }
        defer { limit?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { queue.append(Waiter(number: number, continuation: $0)) }
        } onCancel: {
            // It comes to this actor after the waiter has.
            Task { await self.giveUp(number) }
        }
    }

    private func giveUp(_ number: Int) {
        guard let index = queue.firstIndex(where: { $0.number == number }) else { return }
        queue.remove(at: index).continuation.resume(returning: false)
    }

    /// Gives a place back.
    package func leave() {
        guard let next = queue.popFirst() else {
            places += 1
            return
        }
        next.continuation.resume(returning: true)
    }
}
