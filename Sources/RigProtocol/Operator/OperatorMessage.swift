/// Something that an operator can ask or have done, and the answer that it gets unless that is a ``Refusal``.
package protocol OperatorMessage: WireMessage {
    /// The answer where nothing is refused.
    associatedtype Reply: WireMessage
}
