import Posix
import Synchronization

/// The two bounded queues between a channel's thread and everybody else.
final class ChannelQueues: Sendable {
    private struct State {
        var outbox: [SocketChannel.Message] = []
        var inbox: Inbox
        var waiter: CheckedContinuation<SocketChannel.Event?, Never>?
        var isClosed = false
    }

    private let state: Mutex<State>
    private let limit: Int
    private let drops: Bool
    let wakeUp = WakeUp()
    /// Counts what the channel's thread does.
    let turns = Atomic(0)

    /// - Parameters:
    ///   - lane: how much from one user may wait to be read.
    ///   - drops: whether what does not fit is dropped; otherwise it is left with the single peer.
    init(lane: Inbox.Lane, drops: Bool) {
        limit = lane.messages
        self.drops = drops
        state = Mutex(State(inbox: Inbox(lane: lane)))
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
                    if let event = state.inbox.next() {
                        // The thread stopped reading when the inbox was full: tell it that there is room.
                        if !drops, state.inbox.count == limit - 1 { wakeUp.signal() }
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
        drops || state.withLock { $0.inbox.count < limit }
    }

    /// - Parameter user: who sent it.
    func deliver(_ event: SocketChannel.Event, of user: String = "") {
        let waiter = state.withLock { state -> CheckedContinuation<SocketChannel.Event?, Never>? in
            if let waiter = state.waiter.take() { return waiter }
            if !state.isClosed { state.inbox.add(event, of: user) }
            return nil
        }
        waiter?.resume(returning: event)
    }
}
