import CZeroMQ

/// The CURVE side of a socket.
package enum Security: Sendable {
    /// Binds, and admits only those whom the handler admits in this ZAP domain. Such a value cannot be made before a
    /// handler serves, so no socket is ever bound unguarded.
    case server(CurveKeyPair, ZAPHandler, domain: String)
    /// Connects, and talks only to the owner of this public key.
    case client(CurveKeyPair, server: CurvePublicKey)

    func apply(to socket: borrowing Socket) throws(ZeroMQError) {
        switch self {
        case .server(let keys, _, let domain):
            try socket.set(ZMQ_CURVE_SERVER, CInt(1))
            try socket.set(ZMQ_CURVE_SECRETKEY, keys.secretKey)
            try socket.set(ZMQ_ZAP_DOMAIN, domain)
        case .client(let keys, let server):
            try socket.set(ZMQ_CURVE_SERVERKEY, server.text)
            try socket.set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.text)
            try socket.set(ZMQ_CURVE_SECRETKEY, keys.secretKey)
        }
    }
}
