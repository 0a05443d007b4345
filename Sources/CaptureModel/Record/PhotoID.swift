/// Which photo of which node.
package struct PhotoID: Hashable, Comparable, Sendable {
    /// The capture that it belongs to.
    package let uniqueID: UniqueID
    /// The name of the node that took it.
    package let node: NodeName
    /// 1...expectedPhotoCount, in the node's order of delivery.
    package let photoCount: Int

    package init(uniqueID: UniqueID, node: NodeName, photoCount: Int) {
        self.uniqueID = uniqueID
        self.node = node
        self.photoCount = photoCount
    }

    /// By capture, then node, then photo.
    package static func < (one: Self, other: Self) -> Bool {
        (one.uniqueID, one.node, one.photoCount) < (other.uniqueID, other.node, other.photoCount)
    }
}
