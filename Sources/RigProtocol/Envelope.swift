import FoundationEssentials

/// The versions of the wire that this program speaks.
package enum WireVersion {
    /// Raised when a message changes in a way that an older reader would misread.
    package static let current = 3
}

/// A message of the rig: a type name and a JSON body.
package protocol WireMessage: Codable, Sendable {
    /// The `type` of every JSON first frame.
    static var type: String { get }
}

/// What every first frame says besides its body.
package struct Header: Codable, Sendable, Hashable {
    /// ``WireVersion``.
    package var version: Int
    package var type: String
    /// Counts what a sender says on a plane from 1; on the events plane a gap shows a loss.
    package var sequence: Int

    private enum CodingKeys: String, CodingKey {
        case version = "v"
        case type, sequence
    }
}

/// What is wrong with a message from outside.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        case malformed
        case versionMismatch
        case unknownType
    }

    package let code: Code
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
    package static func encode<Body: WireMessage>(_ body: Body, sequence: Int) -> [UInt8] {
        let header = Header(version: WireVersion.current, type: Body.type, sequence: sequence)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(Envelope(header: header, body: body)))
        } catch {
            // Our own values always have a JSON form.
            preconditionFailure("\(Body.type) cannot be encoded: \(error)")
        }
    }

    /// The header of a first frame.
    package static func header(of frame: UnsafeRawBufferPointer) throws(WireError) -> Header {
        let header = try decode(Header.self, from: frame)
        guard header.version == WireVersion.current else {
            throw WireError(
                .versionMismatch,
                "The peer speaks version \(header.version) of the protocol, this program \(WireVersion.current); "
                    + "run the same release on both.")
        }
        return header
    }

    /// The body of a first frame.
    package static func decode<Body: Decodable>(
        _ type: Body.Type, from frame: UnsafeRawBufferPointer
    ) throws(WireError) -> Body {
        do {
            return try JSONDecoder().decode(type, from: Data(frame))
        } catch {
            throw WireError(.malformed, "A message of type \(type) cannot be read: \(error)")
        }
    }
}
