import CaptureModel
import Foundation
import Testing

@Suite("What others said")
struct PrintableTests {
    @Test("has nothing left in it that a terminal obeys")
    func controls() {
        #expect("\u{1B}]0;owned\u{7}".printable == #"\u001B]0;owned\u0007"#)
        #expect("a\u{9B}31mb\u{7F}".printable == #"a\u009B31mb\u007F"#)
        #expect("\u{202E}gpj.exe\u{2069}".printable == #"\u202Egpj.exe\u2069"#)
    }

    @Test("keeps its letters, its lines and its tabs")
    func letters() {
        let text = "Grüße, 東京 👩‍🔬\n\tzweite Zeile"
        #expect(text.printable == text)
    }

    @Test("is one line where it stands in a line of ours")
    func line() {
        #expect("gone\r\nCapture 1 complete".printableLine == #"gone\u000D\u000ACapture 1 complete"#)
    }

    @Test("means the same in JSON")
    func json() throws {
        let text = "\u{202E}\u{85}\u{7F}"
        let encoded = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        #expect(encoded.printable != encoded)
        #expect(try JSONDecoder().decode([String].self, from: Data(encoded.printable.utf8)) == [text])
    }
}
