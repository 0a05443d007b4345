package import CaptureModel

/// operator -> coordinator: what these nodes' cameras see, as soon as there is any that was not seen yet. The request is
/// the credit for its answer.
package struct PreviewsRequest: OperatorMessage, Hashable {
    package typealias Reply = PreviewsReply
    package static let type = "previewsRequest"
    /// The most nodes of one request.
    package static let mostNodes = 1000
    /// How large the pictures are to be.
    package var size: PreviewSize
    /// For each node the ``PreviewsReply/Picture/number`` that was seen last; 0 for none.
    package var seen: [String: Int]

    package init(size: PreviewSize, seen: [NodeName: Int]) {
        self.size = size
        self.seen = Dictionary(uniqueKeysWithValues: seen.map { ($0.key.rawValue, $0.value) })
    }

    /// The same by name; nil for none, too many, or a name that no node can have.
    package var nodes: [NodeName: Int]? {
        guard (1...Self.mostNodes).contains(seen.count) else { return nil }
        var nodes: [NodeName: Int] = [:]
        for (text, number) in seen {
            guard let name = NodeName(text) else { return nil }
            nodes[name] = number
        }
        return nodes
    }
}

/// coordinator -> operator: the pictures that were not seen yet, whose bytes are the second frame, one after the other.
///
/// It may have none, where nothing came within two seconds: ask again.
package struct PreviewsReply: WireMessage, Hashable {
    package static let type = "previewsReply"

    /// One of them.
    package struct Picture: Codable, Hashable, Sendable {
        /// Whose it is.
        package var node: NodeName
        /// Rises from picture to picture; a coordinator that starts counts from one again.
        package var number: Int
        /// How long it is, in bytes.
        package var byteCount: Int
        /// Of the camera's frame, in pixels.
        package var dimensions: Dimensions?
        /// What the frame was exposed with, as far as is known.
        package var exposure: Exposure?
        /// Who chose that; nil where it is not known.
        package var exposureMode: ExposureMode?

        package init(node: NodeName, number: Int, byteCount: Int, of preview: Preview) {
            (self.node, self.number, self.byteCount) = (node, number, byteCount)
            (dimensions, exposure, exposureMode) = (preview.dimensions, preview.exposure, preview.exposureMode)
        }
    }

    /// In the order of their bytes.
    package var pictures: [Picture]
    /// Why there is none of a node, in a sentence.
    package var problems: [String: String]

    package init(pictures: [Picture] = [], problems: [NodeName: String] = [:]) {
        self.pictures = pictures
        self.problems = Dictionary(uniqueKeysWithValues: problems.map { ($0.key.rawValue, $0.value) })
    }
}
