/// Which photo of which node.
package struct PhotoID: Hashable, Comparable, Sendable {
    package let uniqueID: UniqueID
    package let node: String
    package let photoCount: Int

    package init(uniqueID: UniqueID, node: String, photoCount: Int) {
        self.uniqueID = uniqueID
        self.node = node
        self.photoCount = photoCount
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.uniqueID, one.node, one.photoCount) < (other.uniqueID, other.node, other.photoCount)
    }
}
