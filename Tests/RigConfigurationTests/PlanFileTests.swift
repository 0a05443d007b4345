import CaptureModel
import Foundation
import RigConfiguration
import Testing

private func parse(_ text: String) throws -> Plan { try PlanFile.parse(text, name: "plan.yaml") }

@Suite("A plan file")
struct PlanFileTests {
    @Test("of each kind is read")
    func kinds() throws {
        let auto = try parse("name: hdr-3\nbracket:\n  autoExposure: [-2, 0, +2]\nformats: [jpeg, dng]\npolicy: all\n")
        #expect(auto.name == "hdr-3" && auto.formats == [.jpeg, .dng] && auto.policy == .all)
        #expect(auto.bracket.steps.map(\.exposureTargetBias) == [.value(-2), .value(0), .value(2)])
        let manual = try parse(
            "bracket:\n  manualExposure: [{duration: 1/250, iso: 100}, {duration: 1/60}, {iso: current}]\n"
                + "policy: {atLeast: 3}\n")
        #expect(manual.policy == .atLeast(3) && manual.formats == [.jpeg])
        #expect(manual.bracket.steps[0].exposureDuration == .value(ExposureDuration(nanoseconds: 4_000_000)))
        #expect(manual.bracket.steps[1].iso == .current && manual.bracket.steps[2].exposureDuration == .current)
        #expect(try parse("bracket: {burst: 5}\npolicy: bestEffort").bracket.count == 5)
        let some = try parse("bracket: {burst: 5}\nnodes: [top-*, door]\ngroups: ring")
        #expect(some.nodes == ["top-*", "door"] && some.groups == ["ring"])
    }

    @Test("sets cameras beside the bracket: all of them, or those of nodes and groups, the later ones on top")
    func settings() throws {
        let plan = try parse(
            """
            bracket: {burst: 3}
            settings:
              - {exposureDuration: 1/125, iso: 100, whiteBalance: 5600K, lensStabilization: on}
              - {nodes: [top-*], iso: 200, thumbnail: 160x120, formats: [jpeg, dng]}
              - {groups: [ring], lensPosition: 0.3, quality: speed, size: 1920x1080}
            """)
        let ring = NodeGroup(name: "ring", nodes: ["top-2"])
        let both = try #require(plan.settings(of: "top-2", [ring]))
        #expect(both.exposure == Exposure(duration: ExposureDuration(nanoseconds: 8_000_000), iso: 200))
        #expect(both.camera.lensPosition == 0.3 && both.camera.isLensStabilizationOn == true)
        #expect(
            both.photoQualityPrioritization == .speed
                && both.maxPhotoDimensions == Dimensions(width: 1920, height: 1080))
        #expect(both.embeddedThumbnailPhotoDimensions == Dimensions(width: 160, height: 120))
        #expect(plan.own(of: "top-1", []).formats == [.jpeg, .dng] && plan.own(of: "door", []).formats == [.jpeg])
        #expect(both.nodes == nil && both.groups == nil && both.camera.exposureMode == nil)
        #expect(plan.settings(of: "door", [ring])?.camera.iso == 100)
        #expect(try parse("bracket: {burst: 3}\nsettings: {nodes: [a], iso: 100}").settings(of: "b", []) == nil)
    }

    @Test("is described on its page, with every key, and the examples there are plans")
    func page() throws {
        let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/RigConfiguration/plans.md")
        let page = try String(contentsOf: place, encoding: .utf8)
        let examples = page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        for example in examples { _ = try parse(example) }
        #expect(examples.count >= 5)
        let refusal = #expect(throws: ConfigurationError.self) { try parse("x: 1") }
        let keys = try #require(refusal?.message.components(separatedBy: "the keys are ").last).components(
            separatedBy: ", ")
        #expect(keys.count > 10)
        for key in keys + BracketKind.allCases.map(\.rawValue) { #expect(page.contains("| `\(key)` |"), "\(key)") }
    }

    @Test(
        "that is wrong is refused at its place",
        arguments: [
            ("name: x\nbrackets: {burst: 3}\n", "2:1", "'brackets' is not known"),
            ("name: x\n", "1:1", "no bracket"),
            ("bracket: {autoExposure: []}\n", "1:25", "empty"),
            ("bracket: {burst: 0}\n", "1:18", "empty"),
            ("bracket: {burst: 3, autoExposure: [0]}\n", "1:10", "autoExposure and burst"),
            ("bracket:\n  manualExposure: [{duration: fast}]\n", "2:31", "'fast' is not an exposure time"),
            ("bracket: {autoExposure: [much]}\n", "1:26", "wants a number"),
            ("bracket: {burst: 3}\nformats: [bmp]\n", "2:11", "'bmp' is not a format"),
            ("bracket: {burst: 3}\npolicy: most\n", "2:9", "not 'most'"),
            ("bracket: {burst: 3}\npolicy: {atLeast: 0}\n", "2:19", "1 or more"),
            ("bracket: {burst: many}\n", "1:18", "whole number"),
            ("bracket: {burst: 3}\nsettings: [{iso: lots}]\n", "2:18", "must be a number"),
            ("bracket: {burst: 3}\nsettings: [{focusMode: auto}]\n", "2:13", "'focusMode' is not known"),
            ("bracket: {burst: 3}\nsettings: {iso: 100, gain: 2}\n", "2:28", "give only one"),
            ("bracket: {focus: [0, 1]}\nsettings: {lensPosition: 0.5}\n", "2:11", "leave one of them out"),
            ("bracket: {burst: 3}\nsettings: {size: large}\n", "2:18", "write 1920x1080"),
            ("bracket: {burst: 3}\nsettings: {formats: [jpg]}\n", "2:22", "'jpg' is not a format"),
            ("bracket: {burst: 3}\nmaxSpread: 2\n", "2:12", "with its unit"),
            ("bracket: {burst: 3}\noffsets: {north: 20}\n", "2:18", "with its unit"),
            ("bracket: {burst: 3}\nwhiteBalance: rigMedian\n", "2:15", "perCamera, {node: NAME} or {greyCard: NAME}"),
            ("bracket: {manualExposure: [{iso: 100}]}\nmetering: rigMedian\n", "2:11", "nothing to decide"),
            ("bracket: {whiteBalance: [3200]}\nwhiteBalance: {node: a}\n", "2:15", "leave one of them out"),
            ("bracket: {burst: 3}\nmaxSpread: 0ms\n", "2:12", "more than 0"),
            ("bracket: [\n", "2:1", "not YAML"),
            ("bracket:\n\t{burst: 3}\n", "2:1", "indented with a tab"),
            ("bracket: {burst: 3}\nnodes: [top-*, 'to p']\n", "2:16", "neither a node's name nor a pattern"),
            ("bracket: {burst: 3}\nnodes: []\n", "2:8", "nodes is empty"),
            ("bracket: {burst: 3}\ngroups: {top: 1}\n", "2:9", "groups wants a list"),
            ("bracket: {burst: 3}\noffsets: {'a b': 20ms}\n", "2:11", "neither a node's name nor a pattern"),
            ("bracket: {burst: 3}\nname: a\nname: b\n", "2:1", "'name' is given here and again"),
        ])
    func wrong(text: String, place: String, message: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.place == "plan.yaml:\(place)")
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }
}

@Suite("Settings")
struct SettingsTests {
    private func settings(
        _ file: String, _ environment: [String: String] = [:], _ flags: [String: String?] = [:], card: [String] = []
    ) throws -> Settings {
        try Settings(
            known: ["port", "coordinatorKey", "format.width", "controls.*"], structured: ["groups"],
            files: [(file, "c.yaml")] + card.map { ($0, "card.yaml") },
            environment: environment,
            flags: flags)
    }

    @Test("take a flag over the environment over the file")
    func layers() throws {
        let file = "port: 1\ncoordinatorKey: a\nformat: {width: 4}\n"
        #expect(try settings(file).integer("port", in: 0...9) == 1)
        #expect(try settings(file, ["VOLLEY_PORT": "2"]).integer("port", in: 0...9) == 2)
        #expect(try settings(file, ["VOLLEY_PORT": "2"], ["port": "3"]).integer("port", in: 0...9) == 3)
        #expect(try settings(file, ["VOLLEY_COORDINATOR_KEY": "b"]).text("coordinatorKey") == "b")
        #expect(try settings(file).integer("format.width", in: 0...9) == 4)
    }

    @Test("take a later file over an earlier one, and name the file that is wrong")
    func twoFiles() throws {
        let both = try settings("port: 1\ncoordinatorKey: a\n", card: ["port: 2\n"])
        #expect(try both.integer("port", in: 0...9) == 2 && both.text("coordinatorKey") == "a")
        let wrong = try settings("port: 1\n", card: ["port: x\n"])
        let error = #expect(throws: ConfigurationError.self) { try wrong.integer("port", in: 0...9) }
        #expect(error?.description.hasPrefix("card.yaml:1") == true)
    }

    @Test("may have a mapping whose keys are the user's own")
    func openMapping() throws {
        let file = "controls: {focus_absolute: 30, zoom: -1}\n"
        #expect(try settings(file).integers(of: "controls") == ["focus_absolute": 30, "zoom": -1])
        #expect(try settings("port: 1\n").integers(of: "controls").isEmpty)
        for (text, place) in [("controls: {zoom: near}\n", "c.yaml:1:18"), ("controls: 3\n", "c.yaml:1:11")] {
            let error = #expect(throws: ConfigurationError.self) { try settings(text).integers(of: "controls") }
            #expect(error?.place == place)
        }
    }

    @Test("have groups of nodes in the order of the file")
    func groups() throws {
        let file = "port: 1\ngroups:\n  top: [top-*, door]\n  ring: {nodes: ring-*, offset: 20ms}\n"
        let expected = [
            NodeGroup(name: "top", nodes: ["top-*", "door"]),
            NodeGroup(name: "ring", nodes: ["ring-*"], offsetNanoseconds: 20_000_000),
        ]
        #expect(try settings(file).groups("groups") == expected)
        #expect(try settings(file).integer("port", in: 0...9) == 1)
        #expect(try settings("port: 1\n").groups("groups").isEmpty)
        #expect(try settings(file, card: ["groups: {all: '*'}\n"]).groups("groups").map(\.name) == ["all"])
        for (text, place) in [
            ("groups: [top]\n", "c.yaml:1:9"), ("groups: {top: []}\n", "c.yaml:1:15"),
            ("groups: {'a b': [x]}\n", "c.yaml:1:10"), ("groups: {top: {offset: 2ms}}\n", "c.yaml:1:15"),
            ("groups: {top: {nodes: [x], offset: 2}}\n", "c.yaml:1:36"), ("groups: {top: ['x y']}\n", "c.yaml:1:16"),
        ] {
            let error = #expect(throws: ConfigurationError.self) { try settings(text).groups("groups") }
            #expect(error?.place == place, "\(text)")
        }
    }

    @Test("of a wrong type are refused with their place")
    func wrongType() throws {
        let inFile = #expect(throws: ConfigurationError.self) {
            try settings("coordinatorKey: a\nport: abc\n").integer("port", in: 0...9)
        }
        #expect(inFile?.place == "c.yaml:2:7")
        let inEnvironment = #expect(throws: ConfigurationError.self) {
            try settings("", ["VOLLEY_PORT": "x"]).integer("port", in: 0...9)
        }
        #expect(inEnvironment?.place == "VOLLEY_PORT")
        #expect(throws: ConfigurationError.self) { try settings("ports: 3\n") }
        #expect(throws: ConfigurationError.self) { try settings("port: [1]\n") }
        let missing = #expect(throws: ConfigurationError.self) { try settings("").requiredText("coordinatorKey") }
        #expect(missing?.message.contains("--coordinator-key") == true)
    }

    @Test("have addresses with or without a port")
    func addresses() {
        #expect(Address("rig", defaultPort: 7)?.port == 7)
        #expect(Address("10.0.0.1:99", defaultPort: 7)?.description == "10.0.0.1:99")
        #expect(Address("[::1]:99", defaultPort: 7)?.host == "[::1]")
        #expect(Address("fd00::1", defaultPort: 7)?.description == "[fd00::1]:7")
        #expect(Address("[fd00::1]", defaultPort: 7)?.description == "[fd00::1]:7")
        #expect(Address("[fd00::1", defaultPort: 7) == nil && Address("fd00::1]:7", defaultPort: 7) == nil)
        #expect(Address.host("::") == "[::]" && Address.host("*") == "*" && Address.host("[::]:5670") == nil)
        #expect(Address("rig:x", defaultPort: 7) == nil && Address("tcp://rig", defaultPort: 7) == nil)
    }
}
