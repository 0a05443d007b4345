/// What a node is asked for on the bulk plane.
package enum BulkRequest: WireReadable, Hashable {
    case chunk(ChunkRequest)
    case preview(PreviewRequest)

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case ChunkRequest.type: self = .chunk(try ChunkRequest(from: decoder))
        case PreviewRequest.type: self = .preview(try PreviewRequest(from: decoder))
        default: throw WireError(.unknownType, "A coordinator does not send '\(header.type)' on the bulk plane.")
        }
    }

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .chunk(let request): request
        case .preview(let request): request
        }
    }
}
