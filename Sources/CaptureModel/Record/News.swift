/// Something that became true on the rig, as watchers are told it.
///
/// The catalogue keeps all of it in order, so that a watcher who was away can be told what it missed.
package struct News: Sendable, Hashable {
    /// What became true.
    package enum Content: Sendable, Hashable {
        case event(node: NodeName, CaptureEvent)
        case capture(UniqueID, CaptureState, reason: String?, storedPhotoCount: Int, expectedPhotoCount: Int)
        /// Whether the rig can count on a node; the state is one of the protocol's words.
        case node(name: NodeName, state: String, problem: String?)
    }

    /// When it became true, in microseconds since the Unix epoch, raised to be greater than every number before it.
    package let number: Int64
    /// The number of the one before it: a watcher that has not seen that one has missed some.
    package let previous: Int64
    /// What became true then.
    package let content: Content

    package init(number: Int64, previous: Int64, content: Content) {
        self.number = number
        self.previous = previous
        self.content = content
    }
}
