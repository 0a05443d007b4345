import FoundationEssentials

/// The versions of the wire that this program speaks.
///
/// A node says in its ``Hello`` which versions it speaks; if the coordinator speaks none of them, the node is rejected
/// and told why. So that any release can say this to any other, ``Hello`` and ``Rejected`` are read whatever their
/// version.
package enum WireVersion {
    /// Raised when a message changes in a way that an older reader would misread.
    package static let current = 6
    /// The oldest version that is still read.
    package static let oldest = 6
    /// The oldest and the newest version, as in ``Hello/versions``.
    package static let spoken = [oldest, current]

    /// Whether there is a version that both speak.
    ///
    /// - Parameter theirs: the oldest and the newest that the peer speaks.
    package static func isShared(with theirs: [Int]) -> Bool {
        guard let first = theirs.first, let last = theirs.last, first <= last else { return false }
        return first <= current && last >= oldest
    }
}

/// Something that a first frame can be read into.
package protocol WireReadable: Sendable {
    /// Reads the fields that follow the header's.
    ///
    /// - Throws: ``WireError`` with ``WireError/Code-swift.enum/unknownType`` when it is of another type.
    init(_ header: Header, from decoder: any Decoder) throws
}

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

/// What is wrong with a message from outside.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    package enum Code: String, Hashable, Sendable {
        case malformed
        case versionMismatch
        case unknownType
        /// It came faster than messages could be read.
        case overrun
    }

    /// For programs to act on.
    package let code: Code
    /// One sentence for a person, which may quote the sender.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

/// Turns messages into JSON first frames and back.
package enum Codec {
    private struct Envelope<Body: WireMessage>: Encodable {
        let header: Header
        let body: Body

        func encode(to encoder: any Encoder) throws {
            // One flat object, so that a reader in any language has everything at the top.
            try body.encode(to: encoder)
            try header.encode(to: encoder)
        }
    }

    /// The first frame of a message.
    ///
    /// - Parameter answers: the `sequence` of the request that it answers.
    package static func encode<Body: WireMessage>(_ body: Body, sequence: Int, answers: Int? = nil) -> [UInt8] {
        let header = Header(version: WireVersion.current, type: Body.type, sequence: sequence, answers: answers)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(Envelope(header: header, body: body)))
        } catch {
            // Our own values always have a JSON form.
            preconditionFailure("\(Body.type) cannot be encoded: \(error)")
        }
    }

    /// The `sequence` of a first frame of any version; nil where it has none.
    package static func sequence(of frame: UnsafeRawBufferPointer) -> Int? {
        struct Sequenced: Decodable { let sequence: Int }
        return try? JSONDecoder().decode(Sequenced.self, from: Data(frame)).sequence
    }

    /// A header of a version that is spoken here and the fields that follow it, read in one pass.
    private struct Received<Content: WireReadable>: Decodable {
        let content: Content

        init(from decoder: any Decoder) throws {
            let header = try Header(from: decoder)
            let isForAll = header.type == Hello.type || header.type == Rejected.type
            if !isForAll { try header.checkVersion() }
            do {
                content = try Content(header, from: decoder)
            } catch {
                // If its version is wrong too, that is the fault to report.
                try header.checkVersion()
                throw error
            }
        }
    }

    /// Reads a first frame.
    ///
    /// - Throws: ``WireError`` for another version, another type, or what is not JSON of that type.
    package static func decode<Content: WireReadable>(
        _ type: Content.Type, from frame: UnsafeRawBufferPointer
    ) throws(WireError) -> Content {
        do {
            return try JSONDecoder().decode(Received<Content>.self, from: Data(frame)).content
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.malformed, "A message of type \(type) cannot be read: \(error)")
        }
    }
}

extension Header: WireReadable {
    package init(_ header: Header, from decoder: any Decoder) { self = header }

    fileprivate func checkVersion() throws(WireError) {
        guard (WireVersion.oldest...WireVersion.current).contains(version) else {
            throw WireError(
                .versionMismatch,
                "The peer speaks version \(version) of the protocol, this program \(WireVersion.current); "
                    + "run the same release on both.")
        }
    }
}
