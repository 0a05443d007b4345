import CZeroMQ

/// The public half of a CURVE key, 40 characters of Z85.
package struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The key in Z85, 40 characters.
    package let text: String

    /// Parses the text of a key file, ignoring whitespace; nil if it is not a key.
    package init?(_ text: some StringProtocol) {
        let trimmed = text.filter { !$0.isWhitespace }
        guard let text = Curve.validKey(String(trimmed)) else { return nil }
        self.text = text
    }

    /// The key from the 32 bytes that a ZAP request carries.
    init?(rawBytes: [UInt8]) {
        guard rawBytes.count == 32 else { return nil }
        var text = [CChar](repeating: 0, count: 41)
        zmq_z85_encode(&text, rawBytes, 32)
        self.text = String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var description: String { text }
}

/// A CURVE key pair; the secret half never leaves its owner's key file.
package struct CurveKeyPair: Sendable {
    /// The half that peers may know.
    package let publicKey: CurvePublicKey
    /// The secret half in Z85, 40 characters.
    package let secretKey: String

    /// Makes a new pair from the system's random source.
    package static func generate() -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        let result = zmq_curve_keypair(&publicText, &secretText)
        precondition(result == 0, "zmq_curve_keypair: libzmq was built without CURVE")
        let secret = String(decoding: secretText.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let pair = CurveKeyPair(secretKey: secret) else { preconditionFailure("zmq_curve_keypair gave no key") }
        return pair
    }

    /// Parses the text of a secret key file, and derives the public half; nil if it is not a key.
    package init?(secretKey text: some StringProtocol) {
        guard let secret = Curve.validKey(String(text.filter { !$0.isWhitespace })) else { return nil }
        var publicText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_public(&publicText, secret) == 0 else { return nil }
        let text = String(decoding: publicText.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let publicKey = CurvePublicKey(text) else { return nil }
        self.publicKey = publicKey
        self.secretKey = secret
    }
}

private enum Curve {
    /// The text if it is 40 characters of Z85 (ZeroMQ RFC 32) that encode 32 bytes.
    static func validKey(_ text: String) -> String? {
        guard text.utf8.count == 40 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) == nil ? nil : text
    }
}
