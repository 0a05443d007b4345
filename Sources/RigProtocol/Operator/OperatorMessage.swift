/// Something that an operator can ask or have done, and the answer that it gets unless that is a ``Refusal``.
package protocol OperatorMessage: WireMessage {
    /// The answer where nothing is refused.
    associatedtype Reply: WireMessage
}

/// One that may wait for a disk, and fires nothing: the coordinator answers few of them at a time, beside all others.
package protocol CatalogueMessage: OperatorMessage {}
