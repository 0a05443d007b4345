import Glibc
import NIOCore

/// Ends connections whose other end takes nothing of what is sent to it for 30 seconds, a paused download's as well.
///
/// The kernel knows what has arrived, so that a slow browser, to which a large photo goes for minutes, is not taken for one
/// that does not read (tcp(7), `TCP_USER_TIMEOUT`; a window that stays closed counts since Linux 5.11). One with a receive
/// buffer of a few kilobytes was seen to be ended though it read slowly; browsers' are far larger.
final class ReaderDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// In milliseconds.
    private static let milliseconds: SocketOptionValue = 30_000
    private static let option = NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)

    func handlerAdded(context: ChannelHandlerContext) {
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: Self.option)
        // A connection that is closed already has no options.
        _ = context.channel.setOption(option, value: Self.milliseconds)
    }
}
