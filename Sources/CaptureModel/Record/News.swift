/// Something that became true on the rig, as those who watch hear of it.
///
/// The catalogue keeps all of it in order, so that who was away can be told what he missed.
package struct News: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case event(node: String, CaptureEvent)
        case capture(UniqueID, CaptureState, reason: String?, storedPhotoCount: Int, expectedPhotoCount: Int)
        /// Whether the rig can count on a node; the state is a word of the protocol's.
        case node(name: String, state: String, problem: String?)
    }

    /// When it became true, in microseconds since the Unix epoch, raised to be greater than every number before it.
    package let number: Int64
    /// The number of the one before it: who has not had that has missed some.
    package let previous: Int64
    package let content: Content

    package init(number: Int64, previous: Int64, content: Content) {
        self.number = number
        self.previous = previous
        self.content = content
    }
}
