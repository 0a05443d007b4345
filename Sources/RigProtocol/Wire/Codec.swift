import FoundationEssentials

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
        } catch let error as DecodingError {
            throw WireError(.malformed, "This message cannot be read: \(error.words)")
        } catch {
            throw WireError(.malformed, "This message cannot be read: \(error)")
        }
    }
}

extension DecodingError {
    /// What is wrong, for whoever wrote the JSON.
    fileprivate var words: String {
        switch self {
        case .keyNotFound(let key, let context): "'\(Self.place(context.codingPath + [key]))' is missing."
        case .valueNotFound(_, let context): "'\(Self.place(context.codingPath))' is null."
        case .typeMismatch(let wanted, let context):
            "'\(Self.place(context.codingPath))' is not \(Self.kind(of: wanted))."
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is not JSON."
        case .dataCorrupted(let context) where context.debugDescription.hasPrefix("Cannot initialize"):
            "'\(Self.place(context.codingPath))' is none of the words that are known here."
        case .dataCorrupted(let context): "'\(Self.place(context.codingPath))': \(context.debugDescription)"
        @unknown default: "it is not JSON of the kind that is wanted."
        }
    }

    /// `plan.bracket.manualExposure[1].iso`
    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce("") { place, key in
            if let index = key.intValue { return "\(place)[\(index)]" }
            return place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)"
        }
    }

    private static func kind(of type: any Any.Type) -> String {
        if type is any BinaryInteger.Type { return "a whole number" }
        if type is any BinaryFloatingPoint.Type { return "a number" }
        if type is String.Type { return "a text" }
        if type is Bool.Type { return "true or false" }
        return "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
}
