import CaptureModel
import Testing

@Suite("A word that was mistyped")
struct SuggestionTests {
    @Test(
        "is taken for the one that it is nearest to",
        arguments: [
            ("captrues", "captures"), ("fier", "fire"), ("statsu", "status"), ("node", "nodes"),
            ("Captures", "captures"),
            ("capturs", "captures"), ("sesions", "sessions"),
        ])
    func nearest(typed: String, meant: String) {
        #expect(["captures", "fire", "status", "nodes", "sessions"].nearest(to: typed) == meant)
    }

    @Test("is left alone where nothing is near, or two are as near", arguments: ["launch", "x", "", "top-3"])
    func none(typed: String) {
        #expect(["captures", "fire", "top-1", "top-2"].nearest(to: typed) == nil)
    }
}
