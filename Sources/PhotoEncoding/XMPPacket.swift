import CaptureModel

/// What EXIF has no place for, as XMP (ISO 16684-1): attributes of one description, and a bag of keywords.
struct XMPPacket {
    /// What a packet may take of the 64 KiB that a segment of a JPEG holds.
    private static let limit = 60_000

    private var attributes = ""

    /// The packet of a photo; without what people wrote where that would not fit.
    static func text(_ metadata: PhotoMetadata) -> String {
        let whole = text(metadata, metadata.tags)
        if whole.utf8.count <= limit { return whole }
        var tags = PhotoTags()
        tags.node = metadata.tags.node
        return text(metadata, tags)
    }

    private static func text(_ metadata: PhotoMetadata, _ tags: PhotoTags) -> String {
        var packet = XMPPacket()
        packet.add("CaptureID", "\(metadata.captureID)")
        packet.add("Node", tags.node?.rawValue)
        packet.add("SequenceCount", "\(metadata.sequenceCount)")
        packet.add("Requested", metadata.requested)
        packet.add("Applied", metadata.applied)
        packet.add("Verified", metadata.verified)
        packet.add("Verification", metadata.verification?.name)
        packet.add("Gain", metadata.exposure.gain.map { "\($0)" })
        let day = metadata.takenAt.day.text(separator: "-")
        packet.add("ExposureStart", "\(day)T\(metadata.takenAt.timeOfDay).\(metadata.exifSubSeconds)Z")
        packet.add("ExposureStartUncertaintyNanoseconds", metadata.takenAtUncertaintyNanoseconds.map { "\($0)" })
        packet.add("Session", tags.session)
        packet.add("Subject", tags.subject)
        return packet.text(tags.labels)
    }

    private mutating func add(_ name: String, _ value: String?) {
        if let value { attributes += " volley:\(name)=\"\(Self.escaped(value))\"" }
    }

    private mutating func add(_ name: String, _ exposure: Exposure?) {
        add(name + "ExposureTime", exposure?.duration.map { "\($0.seconds)" })
        add(name + "ISO", exposure?.iso.map { "\($0)" })
        add(name + "Gain", exposure?.gain.map { "\($0)" })
    }

    private func text(_ labels: [String: String]) -> String {
        let words = labels.sorted { $0.key < $1.key }.map { "<rdf:li>\(Self.escaped("\($0)=\($1)"))</rdf:li>" }.joined()
        // Photo browsers show these as keywords.
        let subject = words.isEmpty ? "" : "<dc:subject><rdf:Bag>\(words)</rdf:Bag></dc:subject>"
        return Self.text(
            of: """
                <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
                xmlns:volley="urn:volley:xmp:1.0:"\(attributes)>\(subject)</rdf:Description>
                """)
    }

    /// The packet around a description.
    static func text(of description: String) -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        \(description)
        </rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    /// Without what XML has no way to say.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
