/// A message of the rig: a type name and a JSON body.
package protocol WireMessage: Codable, WireReadable {
    /// The `type` in the message's first frame.
    static var type: String { get }
}

extension WireMessage {
    package init(_ header: Header, from decoder: any Decoder) throws {
        guard header.type == Self.type else {
            throw WireError(.unknownType, "Expected '\(Self.type)', not '\(header.type)'.")
        }
        try self.init(from: decoder)
    }
}
