/// What every first frame says besides its body.
package struct Header: Codable, Sendable, Hashable {
    /// ``WireVersion``.
    package var version: Int
    /// The name of the message, ``WireMessage/type``.
    package var type: String
    /// Counts a sender's messages on a plane, from 1.
    package var sequence: Int
    /// In an answer to an operator, the `sequence` of the request.
    package var answers: Int?

    private enum CodingKeys: String, CodingKey {
        case version = "v"
        case type, sequence, answers
    }
}

extension Header: WireReadable {
    package init(_ header: Header, from decoder: any Decoder) { self = header }

    func checkVersion() throws(WireError) {
        guard (WireVersion.oldest...WireVersion.current).contains(version) else {
            throw WireError(
                .versionMismatch,
                "The peer speaks version \(version) of the protocol, this program \(WireVersion.current); "
                    + "run the same release on both.")
        }
    }
}
