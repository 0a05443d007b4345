import CaptureModel
import Foundation
import RigMembership
import RigProtocol
import TestSupport
import Testing
import ZeroMQ

@Suite("The people of a rig")
struct OperatorsTests {
    let scratch: Scratch
    let operators: Operators
    let keys = (0..<4).map { _ in CurveKeyPair.generate().publicKey }

    init() throws {
        let scratch = try Scratch()
        self.scratch = scratch
        operators = Operators { AllowList(folder: "\(scratch.path)/\($0.rawValue)") }
        try change("root", .administer, keys[0])
    }

    private func change(_ name: NodeName, _ role: Role?, _ key: CurvePublicKey? = nil, by user: NodeName = "hand")
        throws
    {
        try operators.change(OperatorChangeRequest(name: name, role: role, key: key?.text), by: user)
    }

    @Test("come, get other roles and go, each at once")
    func life() throws {
        try change("anna", .watch, keys[1])
        #expect(operators.role(of: "anna") == .watch && operators.name(of: keys[1]) == "anna")
        try change("anna", .operate)
        #expect(operators.role(of: "anna") == .operate && operators.all.map(\.name) == ["anna", "root"])
        try change("anna", nil)
        #expect(operators.role(of: "anna") == nil && operators.name(of: keys[1]) == nil)
        #expect(operators.namesByKey == [keys[0]: "root"])
    }

    @Test("do not change their own role, take a name or a key that is somebody's, or change who is not there")
    func refusals() throws {
        try change("anna", .operate, keys[1])
        #expect(throws: Refusal.self) { try change("root", .watch, by: "root") }
        #expect(throws: Refusal.self) { try change("root", nil, by: "root") }
        #expect(throws: Refusal.self) { try change("anna", .administer, keys[2]) }
        #expect(throws: Refusal.self) { try change("Anna", .operate, keys[2]) }
        #expect(throws: Refusal.self) { try change("eve", .administer, keys[1]) }
        #expect(throws: Refusal.self) { try change("nobody", .watch) }
        #expect(throws: Refusal.self) { try change("nobody", nil) }
        #expect(operators.all.map(\.role) == [.operate, .administer])
    }

    @Test(
        "who share a name with two keys, put there by hand, have the lower role; one key in two folders has the higher")
    func byHand() throws {
        func put(_ key: CurvePublicKey, _ name: String, _ role: Role) throws {
            let folder = "\(scratch.path)/\(role.rawValue)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try key.text.write(toFile: "\(folder)/\(name).pub", atomically: true, encoding: .utf8)
        }
        try put(keys[1], "anna", .watch)
        try put(keys[2], "anna", .administer)
        #expect(operators.role(of: "anna") == .watch)
        try put(keys[3], "ben", .watch)
        try put(keys[3], "ben", .operate)
        #expect(operators.role(of: "ben") == .operate)
        #expect(throws: Refusal.self) { try change("ben", .administer) }
    }
}
