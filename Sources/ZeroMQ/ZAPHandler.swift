import CZeroMQ
import Posix

/// Decides who may connect: the handler of ZeroMQ's Authentication Protocol (RFC 27) for CURVE.
///
/// Without one, libzmq admits every key. It serves from the moment `init` returns and fails closed: whatever it does
/// not understand is refused. Each context has at most one.
package final class ZAPHandler: Sendable {
    private let channel: SocketChannel

    /// Serves in a context.
    ///
    /// - Parameters:
    ///   - onRefusal: told of each key that is not allowed, on the handler's own thread.
    ///   - userID: returns the name behind a key in a domain, nil for a key that is not allowed. It is called on the
    ///     handler's own thread for every connection, so that a changed allow-list takes effect at once.
    package init(
        context: Context, onRefusal: @escaping @Sendable (RefusedKey) -> Void = { _ in },
        userID: @escaping @Sendable (_ domain: String, _ key: CurvePublicKey) -> String?
    ) throws(ZeroMQError) {
        channel = try SocketChannel(
            context: context, name: "zap", type: .reply, options: SocketOptions(),
            attachment: .bind("inproc://zeromq.zap.01")
        ) { request in
            Self.reply(to: request, onRefusal: onRefusal, userID: userID)
        }
    }

    /// Stops serving; nobody is admitted from then on.
    package func close() {
        channel.close()
    }

    /// The answer to a request, which is refused unless it is one to be granted.
    package static func reply(
        to request: [Frame], onRefusal: (RefusedKey) -> Void, userID: (String, CurvePublicKey) -> String?
    ) -> [Frame] {
        let requestID = request.count > 1 ? request[1] : Frame([])
        func answer(_ status: String, _ text: String, _ guest: Guest? = nil) -> [Frame] {
            [Frame(Array("1.0".utf8)), requestID] + [status, text, guest?.user ?? ""].map { Frame(Array($0.utf8)) }
                + [Frame(guest?.metadata ?? [])]
        }
        // version, request id, domain, address, identity, mechanism, credentials
        guard request.count >= 7, request[0].bytes == Array("1.0".utf8), request[5].bytes == Array("CURVE".utf8),
            let key = CurvePublicKey(rawBytes: request[6].bytes)
        else {
            return answer("400", "Only CURVE is admitted")
        }
        let domain = String(decoding: request[2].bytes, as: UTF8.self)
        let text = String(decoding: request[3].bytes, as: UTF8.self)
        // A socket for both families has IPv4 addresses as those of IPv6.
        let address = SocketAddress(numeric: text)?.host ?? text
        guard let user = userID(domain, key) else {
            onRefusal(RefusedKey(key: key, domain: domain, address: address))
            return answer("400", "Key not allowed")
        }
        return answer("200", "OK", Guest(domain: domain, key: key, user: user))
    }
}

/// A key with which somebody wanted to connect, and may not.
package struct RefusedKey: Sendable, CustomStringConvertible {
    package let key: CurvePublicKey
    /// The ZAP domain of the socket.
    package let domain: String
    /// Where the connection came from.
    package let address: String

    package var description: String {
        "A connection from \(address) was refused: key \(key) is not among the keys of the \(domain)."
    }
}
