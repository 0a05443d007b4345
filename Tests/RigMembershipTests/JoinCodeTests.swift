import CaptureModel
import Testing

@testable import RigMembership

@Suite("A join code")
struct JoinCodeTests {
    @Test("is read as people copy it", arguments: ["7k3qz-0o1il-ABCDE-fghjk-mnpqr", "7K3QZ 00111 ABCDE FGHJK MNPQR"])
    func typed(text: String) {
        #expect(JoinCode(text)?.description == "7K3QZ-00111-ABCDE-FGHJK-MNPQR")
        #expect(JoinCode(text)?.id == "7K3QZ")
    }

    @Test(
        "is nothing else", arguments: ["", "7K3QZ", "7K3QZ-00111-ABCDE-FGHJK-MNPQU", "7K3QZ-00111-ABCDE-FGHJK-MNPQRS"])
    func wrong(text: String) { #expect(JoinCode(text) == nil) }

    @Test("differs from each other one, and can be read again")
    func made() {
        let codes = Set((0..<100).map { _ in JoinCode.generate() })
        #expect(codes.count == 100 && codes.allSatisfy { JoinCode($0.description) == $0 })
    }

    @Test("gives names by a pattern, and none that is taken or has too many digits")
    func names() {
        func invite(_ names: String?) -> Invite { Invite(code: "", count: 50, until: 0, names: names) }
        #expect(invite("top-##").name(for: "x", isTaken: { ["top-01", "top-02"].contains($0) }) == "top-03")
        #expect(invite("c#-left").name(for: "x") { _ in false } == "c1-left")
        #expect(invite("c#").name(for: "x") { _ in true } == nil)
        #expect(invite(nil).name(for: "x", isTaken: { ["x", "x-2"].contains($0) }) == "x-3")
        #expect(invite("door").name(for: "x") { _ in false } == "door")
        #expect(
            invite("door").name(for: "x", isTaken: { ["door"].contains($0) }) == nil,
            "who asked for a name wants no other")
        #expect(Invite.isPattern("a-##") && Invite.isPattern("a"))
        #expect(!Invite.isPattern("#-#") && !Invite.isPattern("a b#") && !Invite.isPattern(""))
    }
}
