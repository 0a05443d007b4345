import CaptureModel
import Testing

@Suite("A pattern of nodes' names")
struct NodePatternTests {
    @Test(
        "fits the names that a shell's would",
        arguments: [
            ("top-*", "top-1", true), ("top-*", "top-", true), ("top-*", "stop-1", false), ("*", "door", true),
            ("*-1", "ring-1", true), ("*-1", "ring-11", false), ("*-1", "a-1-1", true), ("ring-?", "ring-1", true),
            ("ring-?", "ring-10", false), ("ring-?", "ring-", false), ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false), ("door", "door", true), ("door", "door2", false), ("**", "x", true),
            ("a?c*", "abc", true), ("*ab", "aab", true), ("*aab", "aaab", true), ("Door", "door", false),
        ] as [(NodePattern, NodeName, Bool)])
    func fits(pattern: NodePattern, name: NodeName, does: Bool) {
        #expect(pattern.matches(name) == does)
    }

    @Test("is none where no name could fit it", arguments: ["", "a b", "top/*", String(repeating: "a", count: 65)])
    func none(text: String) { #expect(NodePattern(rawValue: text) == nil) }

    @Test("takes no longer for one that begins in many ways")
    func hard() {
        let pattern: NodePattern = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"
        #expect(!pattern.matches(NodeName(String(repeating: "a", count: 64)) ?? "x"))
    }
}
