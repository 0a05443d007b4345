/// Whose exposure all nodes use.
package enum MeteringSource: Hashable, Sendable, Codable {
    /// The median of what the nodes have metered.
    case rigMedian
    case node(NodeName)
}

extension MeteringSource {
    private enum CodingKeys: String, CodingKey { case rigMedian, node }

    /// Reads `"rigMedian"` and `{"node": "north"}`, as plan files have it, and what it writes.
    package init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self), word == "rigMedian" {
            self = .rigMedian
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self = values.contains(.rigMedian) ? .rigMedian : .node(try values.name(.node))
    }
}

extension KeyedDecodingContainer {
    /// A node's name, or that inside what Swift makes of an enumeration's case.
    func name(_ key: Key) throws -> NodeName {
        if let payload = try? decode(CasePayload.self, forKey: key) { return payload._0 }
        return try decode(NodeName.self, forKey: key)
    }
}

/// What Swift writes of an enumeration's case with a name.
private struct CasePayload: Decodable {
    let _0: NodeName
}

/// Values that all nodes of a capture use.
package struct SharedSettings: Hashable, Sendable, Codable {
    /// Nil where each node uses its own.
    package var exposure: Exposure?
    /// Nil where each node uses its own.
    package var whiteBalance: WhiteBalance?

    package init(exposure: Exposure? = nil, whiteBalance: WhiteBalance? = nil) {
        self.exposure = exposure
        self.whiteBalance = whiteBalance
    }
}
