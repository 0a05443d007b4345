package import CaptureModel

/// What a log is told, and what it is about, so that a log can be searched by that.
package struct Report: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// One or two sentences, which say by themselves what they are about.
    package let words: String
    /// The node that they are about.
    package let node: NodeName?
    /// The capture that they are about.
    package let capture: UniqueID?

    package init(_ words: String, node: NodeName? = nil, capture: UniqueID? = nil) {
        (self.words, self.node, self.capture) = (words, node, capture)
    }

    package init(stringLiteral words: String) { self.init(words) }
}
