import CaptureModel
import RigProtocol
import Testing

private func decode<Content: WireReadable>(_ type: Content.Type, _ bytes: [UInt8]) throws -> Content {
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
                "policy":{"atLeast":3}},"sequence":4,"type":"prepare","uniqueID":7,"v":6}
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
        #expect(try decode(Header.self, bytes).type == "prepare")
        #expect(try decode(Prepare.self, bytes) == prepare)
    }

    @Test(
        "refuses what is nested deeper than any message, before a thread's stack has gone", arguments: [600, 500_000])
    func nested(depth: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let nest = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            let frame = Array(#"{"v":6,"type":"fireRequest","sequence":1,"plan":\#(nest)}"#.utf8)
            #expect(throws: WireError.self) { try decode(OperatorRequest.self, frame) }
        }
    }

    @Test("reads a board's counts of a release that counts fewer or other things")
    func counts() throws {
        let text =
            #"{"v":6,"type":"heartbeat","sequence":1,"board":{"uptimeSeconds":5,"camera":{"frames":7,"novel":1}}}"#
        guard case .heartbeat(let beat) = try decode(NodeMessage.self, Array(text.utf8)) else {
            throw CancellationError()
        }
        #expect(beat.board?.camera?.frames == 7 && beat.board?.camera?.retakes == 0)
    }

    @Test("refuses another version of the protocol, and says what to do")
    func version() {
        // A hello of another release may have other fields; what cannot be read is then a matter of the version.
        for type in ["heartbeat", "hello"] {
            let frame = Array(#"{"v":99,"type":"\#(type)","sequence":1}"#.utf8)
            let error = #expect(throws: WireError.self) { try decode(NodeMessage.self, frame) }
            #expect(error?.code == .versionMismatch)
            #expect(error?.message.contains("same release") == true)
        }
    }

    @Test("reads who says hello, and why somebody is rejected, in every version")
    func forAll() throws {
        let hello = Hello(
            node: "a", instance: "i", capabilities: nil, cameraError: nil, lastUniqueID: UniqueID(rawValue: 1),
            versions: [4, 99])
        func ofLater(_ body: some WireMessage) -> [UInt8] {
            Array(
                String(decoding: Codec.encode(body, sequence: 1), as: UTF8.self).replacing(#""v":6"#, with: #""v":99"#)
                    .utf8)
        }
        #expect(try decode(NodeMessage.self, ofLater(hello)) == .hello(hello))
        let rejected = Rejected(.versionMismatch, "update")
        #expect(try decode(CoordinatorMessage.self, ofLater(rejected)) == .rejected(rejected))
    }

    @Test(
        "tells whether there is a version that both speak",
        arguments: [
            ([1, 6], true), ([6, 9], true), ([7, 9], false), ([1, 5], false), ([], false), ([9, 1], false),
        ])
    func shared(theirs: [Int], isShared: Bool) {
        #expect(WireVersion.isShared(with: theirs) == isShared)
    }

    @Test("carries words of a later release as they came")
    func laterWords() throws {
        let error = CaptureError(.init(rawValue: "lensFogged"), "The lens is fogged.")
        let refused = Refused(uniqueID: UniqueID(rawValue: 1), error: error)
        #expect(try decode(NodeMessage.self, Codec.encode(refused, sequence: 1)) == .refused(refused))
        let rejected = Rejected(.init(rawValue: "quarantined"), "Ask your administrator.")
        #expect(try decode(CoordinatorMessage.self, Codec.encode(rejected, sequence: 1)) == .rejected(rejected))
    }

    @Test(
        "refuses what is no message",
        arguments: ["", "{", "[]", "null", #"{"v":"1"}"#, String(repeating: "[", count: 10_000)])
    func malformed(text: String) {
        let error = #expect(throws: WireError.self) { try decode(Header.self, Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test(
        "says what is wrong with a request in words for whoever wrote it, and where that is",
        arguments: [
            (#"{}"#, "'requestID' is missing."),
            (#"{"requestID": 7}"#, "'requestID' is not a text."),
            (#"{"requestID": "r", "plan": {}}"#, "'plan.bracket' is missing."),
            (
                #"{"requestID": "r", "plan": {"bracket": {"burst": "many"}}}"#,
                "'plan.bracket.burst' is not a whole number."
            ),
            (
                #"{"requestID": "r", "plan": {"bracket": {"burst": 2}, "formats": "jpeg"}}"#,
                "'plan.formats' is not a list."
            ),
            (
                #"{"requestID": "r", "plan": {"bracket": {"manualExposure": [{"duration": 1, "iso": "x"}]}}}"#,
                "'plan.bracket.manualExposure[0].iso' is not a number."
            ),
        ])
    func words(fields: String, words: String) {
        let header = #"{"v": \#(WireVersion.current), "type": "fireRequest", "sequence": 1, "#
        let text = header.dropLast(2) + (fields == "{}" ? "}" : ", " + fields.dropFirst())
        let error = #expect(throws: WireError.self) { try decode(OperatorRequest.self, Array(text.utf8)) }
        #expect(error?.message == "This message cannot be read: " + words)
    }

    @Test("takes what is left out of a request as a plan file does")
    func defaults() throws {
        let text =
            #"{"v": \#(WireVersion.current), "type": "fireRequest", "sequence": 1, "requestID": "r", "#
            + #""plan": {"bracket": {"burst": 2}}}"#
        let request = try decode(OperatorRequest.self, Array(text.utf8))
        let plan = Plan(name: "unnamed", bracket: try .burst(2))
        #expect(request == .fire(FireRequest(requestID: "r", plan: plan, session: nil, labels: [:])))
    }

    @Test(
        "refuses a bracket that no plan could hold",
        arguments: [
            #"{"burst":0}"#, #"{"burst":999999999}"#, #"{"burst":3,"autoExposure":[0]}"#, "{}",
            #"{"manualExposure":[]}"#,
        ])
    func badBracket(text: String) {
        func read(_ bracket: String) throws -> Prepare {
            let plan = #"{"name":"p","formats":["jpeg"],"policy":"all","bracket":\#(bracket)}"#
            return try decode(
                Prepare.self, Array(#"{"v":6,"type":"prepare","sequence":1,"uniqueID":1,"plan":\#(plan)}"#.utf8))
        }
        #expect(throws: Never.self) { try read(#"{"burst":3}"#) }
        #expect(throws: WireError.self) { try read(text) }
    }
}
