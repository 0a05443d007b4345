import DequeModule

/// What has arrived on a socket and waits for its reader; pure.
///
/// On a socket that many connect to, each user has a lane, and the lanes take turns: a user who sends more than can be
/// read waits behind himself. What does not fit in its lane is dropped, and the reader is told so between two of the
/// user's messages. Nothing is left in libzmq: there it would block the messages of everybody else.
struct Inbox {
    /// How much from one user may wait.
    struct Lane: Sendable {
        var messages: Int
        /// In bytes.
        var bytes: Int
    }

    private struct Waiting {
        var events: Deque<(event: SocketChannel.Event, bytes: Int)> = []
        var bytes = 0
        /// The routing id of whoever sent what was dropped last.
        var dropped: Frame?
        /// Whether the reader has been told of that, and of no message since.
        var isTold = false

        var isEmpty: Bool { events.isEmpty && dropped == nil }
    }

    private let lane: Lane
    private var waiting: [String: Waiting] = [:]
    /// The users who have something waiting, in turn.
    private var turns: Deque<String> = []
    private(set) var count = 0

    init(lane: Lane) {
        self.lane = lane
    }

    /// Takes an event, or drops a message for which there is no room.
    ///
    /// - Parameter user: who sent it; empty if there is only one peer, or if it came from nobody.
    mutating func add(_ event: SocketChannel.Event, of user: String) {
        var queue = waiting.removeValue(forKey: user) ?? Waiting()
        if queue.isEmpty { turns.append(user) }
        if let bytes = roomFor(event, in: queue) {
            queue.events.append((event, bytes))
            queue.bytes += bytes
            count += 1
        } else if case .message(let frames) = event {
            queue.dropped = frames.first
        }
        // A monitor event that does not fit leaves no trace.
        if queue.isEmpty { turns.removeLast() } else { waiting[user] = queue }
    }

    /// How many bytes an event takes; nil if there is no room for it.
    private func roomFor(_ event: SocketChannel.Event, in queue: Waiting) -> Int? {
        switch event {
        case .message(let frames):
            let bytes = frames.reduce(0) { $0 + $1.count }
            return queue.events.count < lane.messages && queue.bytes + bytes <= lane.bytes ? bytes : nil
        case .monitor, .dropped:
            return queue.events.count < 2 * lane.messages ? 0 : nil
        }
    }

    /// The next event in turn; nil if nothing waits.
    mutating func next() -> SocketChannel.Event? {
        guard let user = turns.popFirst(), var queue = waiting.removeValue(forKey: user) else { return nil }
        defer {
            if !queue.isEmpty {
                turns.append(user)
                waiting[user] = queue
            }
        }
        if !queue.isTold || queue.events.isEmpty, let routingID = queue.dropped.take() {
            queue.isTold = true
            return .dropped(user: user, routingID)
        }
        guard let (event, bytes) = queue.events.popFirst() else { return nil }
        queue.isTold = false
        queue.bytes -= bytes
        count -= 1
        return event
    }
}
