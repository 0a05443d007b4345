import Posix
import Synchronization

/// The two bounded queues between a channel's thread and everybody else.
final class ChannelQueues: Sendable {
    private struct State {
        var outbox: [SocketChannel.Message] = []
        var inbox: [SocketChannel.Event] = []
        var waiter: CheckedContinuation<SocketChannel.Event?, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int
    let wakeUp = WakeUp()

    init(limit: Int) {
        self.limit = limit
    }

    // MARK: Tasks' side

    func enqueue(_ message: @escaping SocketChannel.Message) -> Bool {
        let isQueued = state.withLock { state in
            guard !state.isClosed, state.outbox.count < limit else { return false }
            state.outbox.append(message)
            return true
        }
        if isQueued { wakeUp.signal() }
        return isQueued
    }

    func dequeue() async -> SocketChannel.Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: SocketChannel.Event?? = state.withLock { state in
                    if !state.inbox.isEmpty {
                        let event = state.inbox.removeFirst()
                        // The thread stopped reading when the inbox was full: it wants to know of the room.
                        if state.inbox.count == limit - 1 { wakeUp.signal() }
                        return event
                    }
                    if state.isClosed || Task.isCancelled { return .some(nil) }
                    precondition(state.waiter == nil, "two tasks receive from one channel")
                    state.waiter = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: nil)
        }
    }

    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
        wakeUp.signal()
    }

    // MARK: The thread's side

    func takeOutbox(isWanted: Bool) -> (messages: [SocketChannel.Message], isClosed: Bool) {
        state.withLock { state in
            guard isWanted else { return ([], state.isClosed) }
            let messages = state.outbox
            state.outbox.removeAll(keepingCapacity: true)
            return (messages, state.isClosed)
        }
    }

    var hasRoom: Bool {
        state.withLock { $0.inbox.count < limit }
    }

    func deliver(_ event: SocketChannel.Event) {
        let waiter = state.withLock { state -> CheckedContinuation<SocketChannel.Event?, Never>? in
            if let waiter = state.waiter.take() { return waiter }
            // Messages are not taken from the socket without room; of connections that come and go the latest are
            // left out.
            if !state.isClosed, state.inbox.count < 2 * limit { state.inbox.append(event) }
            return nil
        }
        waiter?.resume(returning: event)
    }
}
