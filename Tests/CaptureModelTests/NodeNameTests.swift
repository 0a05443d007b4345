import CaptureModel
import Testing

@Suite("A node's name")
struct NodeNameTests {
    @Test(
        "is safe as a part of a path",
        arguments: ["", "../x", "a/b", "a b", "ä", ".", String(repeating: "a", count: 65)])
    func refused(text: String) {
        #expect(NodeName(text) == nil)
    }

    @Test("may have letters, digits, - and _")
    func accepted() {
        #expect(NodeName(rawValue: "cage-north_07")?.rawValue == "cage-north_07")
    }
}
