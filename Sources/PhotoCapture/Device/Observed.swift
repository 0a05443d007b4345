import Synchronization

/// A value that can be watched, as with key-value observing on Apple's systems.
public final class Observed<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var watchers: [Int: AsyncStream<Value>.Continuation] = [:]
        var nextID = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    deinit {
        state.withLock { $0.watchers.values.forEach { $0.finish() } }
    }

    /// The value now.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, and tells every watcher if it is then a different one.
    @discardableResult
    package func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { state in
            let before = state.value
            let result = body(&state.value)
            guard state.value != before else { return result }
            for watcher in state.watchers.values { watcher.yield(state.value) }
            return result
        }
    }

    /// The value now and after each change; a slow reader sees only the newest.
    public func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.watchers[state.nextID] = continuation
            continuation.yield(state.value)
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: id) }
        }
        return stream
    }

    /// One property of the value, now and whenever it differs from what it was.
    public func values<Property: Equatable & Sendable>(
        of property: any KeyPath<Value, Property> & Sendable
    ) -> AsyncStream<Property> {
        let all = values()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: Property?
                for await value in all where value[keyPath: property] != last {
                    last = value[keyPath: property]
                    continuation.yield(value[keyPath: property])
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
