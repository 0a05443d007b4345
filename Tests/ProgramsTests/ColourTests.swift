import Programs
import Testing

@Suite("Colours")
struct ColourTests {
    @Test("are for terminals alone, and not where NO_COLOR says anything")
    func wanted() {
        func isWanted(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
            Colour.isWanted(isTerminal: isTerminal) { environment[$0] }
        }
        #expect(isWanted(true, ["TERM": "xterm"]) && isWanted(true, ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!isWanted(false, ["TERM": "xterm"]))
        for no in [["NO_COLOR": "1", "TERM": "xterm"], ["NO_COLOR": "0", "TERM": "xterm"], ["TERM": "dumb"], [:]] {
            #expect(!isWanted(true, no), "\(no)")
        }
    }

    @Test("are given to states in cells, and to no other words")
    func painted() {
        let green = "\u{1B}[32mcomplete\u{1B}[0m"
        #expect(Colour.painted("Capture 1  complete: 2 of 2") == "Capture 1  \(green): 2 of 2")
        #expect(Colour.painted("a  complete  b\na  failed") == "a  \(green)  b\na  \u{1B}[31mfailed\u{1B}[0m")
        #expect(Colour.painted("1/60 s mismatch  x") == "1/60 s \u{1B}[31mmismatch\u{1B}[0m  x")
        for text in ["it failed to start", "incomplete  x", "failed-7  x"] { #expect(Colour.painted(text) == text) }
    }
}
