/// What a node hears from its coordinator.
package enum NodeArrival: Sendable {
    case message(CoordinatorMessage)
    /// A message that cannot be read.
    case malformed(WireError)
    case disconnected
    /// The coordinator refused this node's key, or is not the one whose key was given.
    case keyRefused
}
