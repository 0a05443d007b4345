/// One photo as the catalogue has it.
package struct StoredPhoto: Codable, Sendable, Hashable {
    /// The name of the node that took it.
    package var node: NodeName
    /// What its node reported, or the error that settled it.
    package var record: PhotoRecord
    /// Relative to the library; nil while the file is not there.
    package var path: String?

    package init(node: NodeName, record: PhotoRecord, path: String?) {
        self.node = node
        self.record = record
        self.path = path
    }
}
