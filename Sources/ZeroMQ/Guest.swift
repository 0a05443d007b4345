/// Who was admitted at a connection, and by which key.
package struct Guest: Sendable, Hashable {
    /// The name of the property of each message under which libzmq keeps ``text``.
    static let property = "X-Guest"

    /// The ZAP domain.
    package let domain: String
    /// The key that was shown.
    package let key: CurvePublicKey
    /// The name behind the key at that time.
    package let user: String

    /// The domain, the key and the name, with spaces between.
    var text: String { "\(domain) \(key) \(user)" }

    init(domain: String, key: CurvePublicKey, user: String) {
        (self.domain, self.key, self.user) = (domain, key, user)
    }

    /// Parses ``text``.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let key = CurvePublicKey(words[1]) else { return nil }
        self.init(domain: String(words[0]), key: key, user: String(words[2]))
    }

    /// It as metadata of a ZAP reply: each property is a name behind its length in a byte, and a value behind its length in
    /// four bytes, the highest first (RFC 27, RFC 23).
    var metadata: [UInt8] {
        let (name, value) = (Array(Self.property.utf8), Array(text.utf8))
        let count = UInt32(value.count).bigEndian
        return [UInt8(name.count)] + name + withUnsafeBytes(of: count) { Array($0) } + value
    }
}
