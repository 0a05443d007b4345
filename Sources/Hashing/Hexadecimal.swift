/// Bytes as text: two lower-case digits each.
package enum Hexadecimal {
    /// The digits of some bytes.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of some digits; nil for anything else.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { byte in Character(UnicodeScalar(byte)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }

    /// So many bytes of the system's random source, as digits.
    package static func random(byteCount: Int) -> String {
        text((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
    }
}
