import CZeroMQ
import Posix
import Synchronization

/// A socket with a thread of its own, reached from Swift's tasks without blocking them.
///
/// Messages to send wait in a bounded outbox, received ones in a bounded inbox. While the inbox is full, nothing is
/// taken from a socket with a single peer, so back-pressure reaches that peer; on a ROUTER each user has room of his
/// own, and what he sends beyond it is dropped. Libzmq's rule that a socket belongs to one thread holds by
/// construction: once open, only the channel's thread ever sees it.
package final class SocketChannel: Sendable {
    /// The endpoint that a socket binds or connects to.
    package enum Attachment: Sendable {
        case bind(String)
        case connect(String)
    }

    /// What comes out of a channel.
    package enum Event: Sendable {
        case message([Frame])
        /// A connection came, went or was refused.
        case monitor(MonitorEvent)
        /// A user sends more than is read: some of it was dropped, most recently from this routing id.
        case dropped(user: String, Frame)
    }

    /// Makes a message on the channel's own thread, at the moment it is sent.
    package typealias Message = @Sendable () -> [Frame]

    /// Answers a message at once, on the channel's own thread.
    package typealias Handler = @Sendable ([Frame]) -> [Frame]?

    /// The endpoint in use; after a bind to port `*`, with the port that the system chose.
    package let endpoint: String
    private let queues: ChannelQueues
    private let thread: OSThread

    /// Opens the socket; it is bound or connecting when this returns.
    ///
    /// - Parameter handler: answers each message on the channel's thread; then ``receive()`` yields no messages.
    package init(
        context: Context, name: String, type: SocketType, options: SocketOptions, attachment: Attachment,
        handler: Handler? = nil
    ) throws(ZeroMQError) {
        let drops = type == .router
        let lane = Inbox.Lane(messages: options.queueLimit, bytes: drops ? options.mostWaiting : .max)
        let queues = ChannelQueues(lane: lane, drops: drops)
        let loop = try ChannelLoop(
            context: context, type: type, options: options, attachment: attachment, handler: handler, queues: queues)
        switch attachment {
        case .bind: endpoint = try loop.socket.lastEndpoint()
        case .connect(let peer): endpoint = peer
        }
        self.queues = queues
        thread = OSThread(name: "zmq-\(name)", hasShortTurns: !options.isBulk) { loop.run() }
    }

    deinit { queues.close() }

    /// How many turns the channel's thread has made; asks it for another one.
    package func countTurns() -> Int {
        defer { queues.wakeUp.signal() }
        return queues.turns.load(ordering: .relaxed)
    }

    /// Queues a message.
    ///
    /// - Returns: false if the outbox is full or the channel is closed; nothing was queued then.
    @discardableResult
    package func send(_ frames: [Frame]) -> Bool {
        queues.enqueue { frames }
    }

    /// Queues a message that is made only when it goes out, such as one that carries the time.
    @discardableResult
    package func send(made message: @escaping Message) -> Bool {
        queues.enqueue(message)
    }

    /// The next event; nil once the channel is closed or the task cancelled. One task at a time.
    package func receive() async -> Event? {
        await queues.dequeue()
    }

    /// Sends what is queued, within the linger time, and closes; blocks each caller until the thread has ended.
    package func close() {
        queues.close()
        thread.join()
    }
}
