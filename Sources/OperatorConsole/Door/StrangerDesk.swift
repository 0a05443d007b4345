import NIOCore
import Posix
import Synchronization

/// Keeps strangers from filling the door: whoever connects and asks nothing leaves after ten seconds, and of too many such
/// the one that has waited longest in the largest crowd of one network goes first.
///
/// Who asks at once is none of them: a browser's request comes within milliseconds, TLS included.
final class StrangerDesk: Sendable {
    /// How many may say nothing at a time.
    private static let most = 128
    /// How long each may.
    fileprivate static let patience = TimeAmount.seconds(10)

    private struct Stranger {
        let id: ObjectIdentifier
        /// ``SocketAddress/network``.
        let crowd: UInt64
        let channel: any Channel
    }

    /// In the order in which they came.
    private let strangers = Mutex<[Stranger]>([])

    /// A connection was made.
    fileprivate func came(_ channel: any Channel) {
        let crowd = channel.remoteAddress?.ipAddress.flatMap(Posix.SocketAddress.init(numeric:))?.network ?? 0
        let leaving = strangers.withLock { strangers -> (any Channel)? in
            strangers.append(Stranger(id: ObjectIdentifier(channel), crowd: crowd, channel: channel))
            guard strangers.count > Self.most else { return nil }
            let crowds = Dictionary(grouping: strangers, by: \.crowd)
            let largest = crowds.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key
            guard let index = strangers.firstIndex(where: { $0.crowd == largest }) else { return nil }
            return strangers.remove(at: index).channel
        }
        leaving?.close(promise: nil)
    }

    /// It has asked something, or is gone.
    fileprivate func known(_ channel: any Channel) {
        strangers.withLock { strangers in strangers.removeAll { $0.id == ObjectIdentifier(channel) } }
    }
}

/// Watches one connection for the desk.
final class StrangerWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let desk: StrangerDesk
    private var deadline: Scheduled<Void>?

    init(_ desk: StrangerDesk) { self.desk = desk }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        desk.came(channel)
        deadline = context.eventLoop.scheduleTask(in: StrangerDesk.patience) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        leave(context)
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave(context)
        context.fireChannelInactive()
    }

    private func leave(_ context: ChannelHandlerContext) {
        guard let deadline else { return }
        deadline.cancel()
        self.deadline = nil
        desk.known(context.channel)
    }
}
