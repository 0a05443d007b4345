/// How many nodes a capture needs.
package enum CapturePolicy: Hashable, Sendable {
    /// Every node that the plan is for; one refusal and nothing fires.
    case all
    /// At least this many nodes; with fewer nothing fires.
    case atLeast(Int)
    /// Whichever nodes can.
    case bestEffort

    /// The fewest nodes that must be ready before anything fires.
    package func quorum(of nodeCount: Int) -> Int {
        switch self {
        case .all: max(1, nodeCount)
        case .atLeast(let count): count
        case .bestEffort: 1
        }
    }
}

extension CapturePolicy: Codable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case atLeast
    }

    package init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            switch word {
            case "all": self = .all
            case "bestEffort": self = .bestEffort
            default:
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "policy is all, bestEffort or {atLeast: N}, not '\(word)'"))
            }
        } else {
            let count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .atLeast)
            guard count >= 1 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "atLeast is 1 or more, not \(count)"))
            }
            self = .atLeast(count)
        }
    }

    /// Writes the policy's word, or an object with the key `atLeast`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .all, .bestEffort:
            var container = encoder.singleValueContainer()
            try container.encode(description)
        case .atLeast(let count):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .atLeast)
        }
    }

    /// `all`, `atLeast 3` or `bestEffort`, as the catalogue keeps it and messages quote it.
    package var description: String {
        switch self {
        case .all: "all"
        case .atLeast(let count): "atLeast \(count)"
        case .bestEffort: "bestEffort"
        }
    }
}
