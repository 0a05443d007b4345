import CZeroMQ

/// The kinds of socket that a rig uses. C: `ZMQ_ROUTER` and so on.
package enum SocketType: Sendable {
    case router, dealer, publish, subscribe, reply

    var rawValue: CInt {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        // Unlike a PUB, it hears who subscribes.
        case .publish: ZMQ_XPUB
        case .subscribe: ZMQ_SUB
        case .reply: ZMQ_REP
        }
    }
}
