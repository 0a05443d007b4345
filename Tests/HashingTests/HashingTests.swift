import Testing

@testable import Hashing

@Suite struct HashingTests {
    /// The examples of FIPS 180-2, appendix B, and of the empty message.
    @Test(
        "digests are those of the standard",
        arguments: [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ), ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ]) func standard(message: String, digest: String)
    {
        #expect(Hexadecimal.text(SHA256.digest(of: message.utf8)) == digest)
    }

    @Test("a million bytes in uneven pieces have the digest of the standard") func pieces() {
        var hasher = SHA256()
        var left = 1_000_000
        while left > 0 {
            let piece = [UInt8](repeating: UInt8(ascii: "a"), count: min(left, 977))
            piece.withUnsafeBytes { hasher.update($0) }
            left -= piece.count
        }
        let digest = Hexadecimal.text(hasher.finish())
        #expect(digest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("a copy goes its own way, and a digest may be asked for before the end") func copies() {
        var one = SHA256()
        Array("ab".utf8).withUnsafeBytes { one.update($0) }
        var other = one
        Array("x".utf8).withUnsafeBytes { other.update($0) }
        #expect(one.finish() == SHA256.digest(of: "ab".utf8))
        Array("c".utf8).withUnsafeBytes { one.update($0) }
        #expect(one.finish() == SHA256.digest(of: "abc".utf8))
        #expect(other.finish() == SHA256.digest(of: "abx".utf8))
    }

    /// Test cases 1, 2 and 6 of RFC 4231.
    @Test(
        "codes are those of RFC 4231",
        arguments: [
            (
                Array("Hi There".utf8), [UInt8](repeating: 0x0b, count: 20),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("what do ya want for nothing?".utf8), Array("Jefe".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                [UInt8](repeating: 0xaa, count: 131),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]) func codes(message: [UInt8], key: [UInt8], code: String) throws
    {
        #expect(Hexadecimal.text(HMACSHA256.code(for: message, key: key)) == code)
        var bytes = try #require(Hexadecimal.bytes(code))
        #expect(HMACSHA256.isCode(bytes, for: message, key: key))
        bytes[31] ^= 1
        #expect(!HMACSHA256.isCode(bytes, for: message, key: key))
        #expect(!HMACSHA256.isCode([], for: message, key: key))
    }

    @Test("digits are read and written") func digits() {
        #expect(Hexadecimal.text([0, 9, 0xa0, 0xff]) == "0009a0ff")
        #expect(Hexadecimal.bytes("0009A0ff") == [0, 9, 0xa0, 0xff])
        #expect(Hexadecimal.bytes("0") == nil && Hexadecimal.bytes("0g") == nil)
    }
}
