import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("What a plan has against a node")
struct ObjectionTests {
    @Test("starts that are known too vaguely for its limit are named with the limit that would do")
    func starts() throws {
        var plan = Plan(name: "p", bracket: try .burst(1))
        #expect(plan.objection(toStartsWithin: .max, of: "north") == nil, "without a limit any will do")
        plan.maxSpread = 20_000_000
        #expect(plan.objection(toStartsWithin: 10_000_000, of: "north") == nil)
        let objection = try #require(plan.objection(toStartsWithin: 12_500_000, of: "north"))
        #expect(objection.code == .spreadTooWide)
        #expect(objection.message.contains("±12.5 ms") && objection.message.contains("at least 25.0 ms"))
    }
}
