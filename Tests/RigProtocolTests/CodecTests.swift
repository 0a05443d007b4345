import CaptureModel
import RigProtocol
import Testing

private func header(_ bytes: [UInt8]) throws -> Header {
    try bytes.withUnsafeBytes { frame throws(WireError) in try Codec.header(of: frame) }
}

private func decode<Body: Decodable>(_ type: Body.Type, _ bytes: [UInt8]) throws -> Body {
    try bytes.withUnsafeBytes { frame throws(WireError) in try Codec.decode(type, from: frame) }
}

@Suite("The codec")
struct CodecTests {
    @Test("writes one flat JSON object that any language can read")
    func flat() throws {
        let plan = Plan(
            name: "hdr-3",
            bracket: try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) }),
            formats: [.jpeg, .dng], policy: .atLeast(3))
        let text = String(
            decoding: Codec.encode(Prepare(uniqueID: UniqueID(rawValue: 7), plan: plan), sequence: 4), as: UTF8.self)
        #expect(
            text == """
                {"plan":{"bracket":{"autoExposure":[-2,0,2]},"formats":["jpeg","dng"],"name":"hdr-3",\
                "policy":{"atLeast":3}},"sequence":4,"type":"prepare","uniqueID":7,"v":3}
                """)
    }

    @Test("reads back what it wrote")
    func roundTrip() throws {
        let bracket = try Bracket([
            .manualExposure(exposureDuration: .value(ExposureDuration(seconds: 0.004)), iso: .value(100)),
            .manualExposure(exposureDuration: .current, iso: .current),
        ])
        let prepare = Prepare(uniqueID: UniqueID(rawValue: 1), plan: Plan(name: "p", bracket: bracket))
        let bytes = Codec.encode(prepare, sequence: 1)
        #expect(try header(bytes).type == "prepare")
        #expect(try decode(Prepare.self, bytes) == prepare)
    }

    @Test("refuses another version of the protocol, and says what to do")
    func version() {
        let frame = Array(#"{"v":99,"type":"hello","sequence":1}"#.utf8)
        let error = #expect(throws: WireError.self) { try header(frame) }
        #expect(error?.code == .versionMismatch)
        #expect(error?.message.contains("same release") == true)
    }

    @Test(
        "refuses what is no message",
        arguments: ["", "{", "[]", "null", #"{"v":"1"}"#, String(repeating: "[", count: 10_000)])
    func malformed(text: String) {
        let error = #expect(throws: WireError.self) { try header(Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test(
        "refuses a bracket that no plan could hold",
        arguments: [
            #"{"burst":0}"#, #"{"burst":999999999}"#, #"{"burst":3,"autoExposure":[0]}"#, "{}",
            #"{"manualExposure":[]}"#,
        ])
    func badBracket(text: String) {
        #expect(throws: WireError.self) { try decode(Bracket.self, Array(text.utf8)) }
    }
}
