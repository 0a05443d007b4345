import CZeroMQ
import Posix
import Synchronization

/// What a channel's thread does: wait, send what is queued, receive what has arrived.
final class ChannelLoop: @unchecked Sendable {
    // Invariant: built on the opener's thread, then touched by the channel's thread alone. libzmq allows the move:
    // starting a thread is a full memory fence.
    let socket: Socket
    private let monitor: SocketMonitor
    private let context: Context
    private let type: SocketType
    private let handler: SocketChannel.Handler?
    private let queues: ChannelQueues
    private let dropsWhileDisconnected: Bool
    private let door: Door?
    /// As what the connections were admitted from which something came, by their descriptors.
    private var admissions: [CInt: String] = [:]
    private var pending: [SocketChannel.Message] = []
    private var isConnected = false
    private var isClosing = false

    init(
        context: Context, type: SocketType, options: SocketOptions, attachment: SocketChannel.Attachment,
        handler: SocketChannel.Handler?, queues: ChannelQueues
    ) throws(ZeroMQError) {
        let socket = try Socket(context, type.rawValue)
        try options.apply(to: socket, type: type)
        monitor = try SocketMonitor(context, of: socket)
        switch attachment {
        case .bind(let endpoint): try socket.bind(endpoint)
        case .connect(let endpoint): try socket.connect(endpoint)
        }
        self.socket = socket
        self.context = context
        self.type = type
        self.handler = handler
        self.queues = queues
        dropsWhileDisconnected = options.dropsWhileDisconnected
        door = options.door
    }

    func run() {
        while true {
            wait()
            queues.turns.add(1, ordering: .relaxed)
            receiveMonitor()
            send()
            if isClosing { return monitor.stop(socket) }
            receive()
        }
    }

    private func wait() {
        // While the inbox is full, the one peer's messages stay in libzmq's queue and this thread waits for room.
        var interest: Int16 = queues.hasRoom ? czmq_pollin : 0
        if !pending.isEmpty { interest |= czmq_pollout }
        var items = [
            zmq_pollitem_t(socket: socket.pointer, fd: 0, events: interest, revents: 0),
            zmq_pollitem_t(socket: monitor.socket.pointer, fd: 0, events: czmq_pollin, revents: 0),
            zmq_pollitem_t(socket: nil, fd: queues.wakeUp.fileDescriptor, events: czmq_pollin, revents: 0),
        ]
        zmq_poll(&items, CInt(items.count), -1)
        if items[2].revents != 0 { queues.wakeUp.clear() }
    }

    /// Sends until nothing is queued or libzmq takes no more; poll then reports when it does again.
    private func send() {
        var hadMessages: Bool
        repeat {
            takeOutbox()
            hadMessages = !pending.isEmpty
            flush()
        } while hadMessages && pending.isEmpty
    }

    private func takeOutbox() {
        // What libzmq does not take stays here; more is fetched only once that is gone, so that both are bounded.
        let outbox = queues.takeOutbox(isWanted: pending.isEmpty)
        pending += outbox.messages
        isClosing = outbox.isClosed
        if dropsWhileDisconnected, !isConnected { pending.removeAll() }
    }

    /// Sends in order until libzmq takes no more.
    private func flush() {
        var sent = 0
        defer { pending.removeFirst(sent) }
        for make in pending {
            let message = make()
            switch result(of: message) {
            // On a ROUTER, a peer that has gone or does not read must not hold up the others: its message is dropped.
            case .sent, .unreachable: sent += 1
            case .wouldBlock where type == .router: sent += 1
            case .wouldBlock: return
            }
        }
    }

    private func result(of message: [Frame]) -> Socket.Sending {
        // Any other error means that this side misused the socket.
        do { return try socket.send(message) } catch { preconditionFailure("\(error)") }
    }

    private func receive() {
        // A few at a time: a peer that floods must not keep this thread from sending and closing.
        var turns = 0
        while turns < 64, queues.hasRoom, let frames = (try? socket.receive()).flatMap({ $0 }) {
            turns += 1
            if let door { note(frames, at: door) }
            guard let handler else {
                // What subscribers say is that they subscribe.
                if type == .publish { continue }
                // On a ROUTER the first frame is the routing id.
                let user = type == .router && frames.count > 1 ? frames[1].userID : nil
                queues.deliver(.message(frames), of: user ?? "")
                continue
            }
            if let reply = handler(frames) {
                pending.append { reply }
                flush()
            }
        }
    }

    private func note(_ frames: [Frame], at door: Door) {
        guard let frame = frames.last, let descriptor = frame.descriptor, let admission = frame.admission,
            admissions.updateValue(admission, forKey: descriptor) != admission
        else { return }
        door.admitted(descriptor, as: Guest(admission), by: ObjectIdentifier(self))
    }

    private func receiveMonitor() {
        // A few at a time, as with messages.
        var turns = 0
        while turns < 64, let report = (try? monitor.receive()).flatMap({ $0 }) {
            turns += 1
            switch report {
            case .accepted(let descriptor):
                guard let door else { continue }
                admissions[descriptor] = nil
                door.accepted(descriptor, by: ObjectIdentifier(self), at: Clocks.monotonicNanoseconds())
            case .closed(let descriptor):
                admissions[descriptor] = nil
                door?.closed(descriptor, by: ObjectIdentifier(self))
                note(.disconnected)
            case .event(let event): note(event)
            }
        }
    }

    private func note(_ event: MonitorEvent) {
        switch event {
        case .handshakeSucceeded: isConnected = true
        case .disconnected: isConnected = false
        case .authenticationFailed, .handshakeFailed: break
        }
        // A channel with a handler, and one that only publishes, has no reader of events.
        if handler == nil, type != .publish { queues.deliver(.monitor(event)) }
    }
}
