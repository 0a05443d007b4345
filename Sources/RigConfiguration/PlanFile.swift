package import CaptureModel
import Yams

/// Reads plans as operators write them.
package enum PlanFile {
    /// Why a plan cannot be used, and where in the file.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        let cause: ConfigurationError

        package var description: String { "\(cause)" }
    }

    /// The plan in a file.
    package static func read(_ path: String) throws(Problem) -> Plan {
        do throws(ConfigurationError) {
            let file = try ConfigurationFile.read(path)
            return try parse(file.text, name: file.name)
        } catch {
            throw Problem(cause: error)
        }
    }

    /// The plan in a text that stands in no file.
    ///
    /// - Parameter place: where it stands, for errors.
    package static func read(text: String, from place: String) throws(Problem) -> Plan {
        do throws(ConfigurationError) { return try parse(text, name: place) } catch { throw Problem(cause: error) }
    }

    /// The plan in a YAML text.
    ///
    /// - Parameter name: the file's name, for errors to say where they are.
    /// - Throws: ``ConfigurationError`` with line and column for an unknown key, an empty bracket, two kinds of
    ///   bracket, or a value that cannot be read.
    package static func parse(_ text: String, name: String) throws(ConfigurationError) -> Plan {
        let document = try YAMLDocument(text, name: name)
        let entries = try document.entries(
            document.root, of: "a plan",
            known: [
                "name", "bracket", "formats", "nodes", "groups", "policy", "settings", "verify", "lead", "armedFor",
                "maxSpread",
                "offsets",
                "metering", "whiteBalance",
            ])
        guard let bracketNode = entries["bracket"] else {
            throw document.error(
                document.root,
                "the plan has no bracket; give it autoExposure, manualExposure, burst, focus or whiteBalance")
        }
        var plan = Plan(
            name: try entries["name"].map { node throws(ConfigurationError) in
                try document.text(node, of: "name")
            } ?? "unnamed",
            bracket: try bracket(bracketNode, document))
        if let node = entries["formats"] { plan.formats = try formats(node, document) }
        if let node = entries["nodes"] { plan.nodes = try document.patterns(node, of: "nodes") }
        if let node = entries["groups"] { plan.groups = try document.names(node, of: "groups") }
        if let node = entries["policy"] { plan.policy = try policy(node, document) }
        try readSync(entries, document, &plan)
        if let node = entries["settings"] { plan.settings = try settings(node, document, plan) }
        return plan
    }

    private static func bracket(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> Bracket {
        let kinds = try document.entries(node, of: "bracket", known: BracketKind.allCases.map(\.rawValue))
        guard kinds.count == 1, let (kind, value) = kinds.first else {
            throw document.error(
                node,
                "a bracket is of one kind; this one has \(kinds.keys.sorted().joined(separator: " and "))"
                    + (kinds.isEmpty ? "none" : ""))
        }
        let steps: [BracketedStillImageSettings]
        switch BracketKind(rawValue: kind) {
        case .autoExposure: steps = try biases(value, document)
        case .manualExposure: steps = try manualSteps(value, document)
        case .focus: steps = try lensPositions(value, document)
        case .whiteBalance: steps = try whiteBalances(value, document)
        case .burst, nil:
            let count = try document.integer(value, of: "burst")
            do { return try .burst(count) } catch { throw document.error(value, error.message) }
        }
        do { return try Bracket(steps) } catch { throw document.error(value, error.message) }
    }

    private static func biases(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> [BracketedStillImageSettings] {
        var steps: [BracketedStillImageSettings] = []
        for item in try document.items(node, of: "autoExposure") {
            let isCurrent = item.scalar?.string == "current"
            let bias: Requested<Double> = isCurrent ? .current : .value(try document.number(item, of: "a bias in EV"))
            steps.append(.autoExposure(exposureTargetBias: bias))
        }
        return steps
    }

    private static func manualSteps(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> [BracketedStillImageSettings] {
        var steps: [BracketedStillImageSettings] = []
        for item in try document.items(node, of: "manualExposure") {
            let entries = try document.entries(item, of: "a manual step", known: ["duration", "iso", "gain"])
            var duration: Requested<ExposureDuration> = .current
            var iso: Requested<Double> = .current
            if let node = entries["duration"], node.scalar?.string != "current" {
                let text = try document.text(node, of: "duration")
                guard let value = ExposureDuration(parsing: text) else {
                    throw document.error(
                        node, "'\(text)' is not an exposure time; write 1/250, 0.004, 4ms or 2, up to 3600 s")
                }
                duration = .value(value)
            }
            if let node = entries["iso"], node.scalar?.string != "current" {
                iso = .value(try document.number(node, of: "iso"))
            }
            var gain: Requested<Double> = .current
            if let node = entries["gain"], node.scalar?.string != "current" {
                gain = .value(try document.number(node, of: "gain"))
            }
            steps.append(.manualExposure(exposureDuration: duration, iso: iso, gain: gain))
        }
        return steps
    }

    private static func lensPositions(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> [BracketedStillImageSettings] {
        var steps: [BracketedStillImageSettings] = []
        for item in try document.items(node, of: "focus") {
            steps.append(.focus(lensPosition: try document.number(item, of: "a lens position")))
        }
        return steps
    }

    /// A temperature in kelvin, one with a tint, or three gains.
    private static func whiteBalances(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> [BracketedStillImageSettings] {
        var steps: [BracketedStillImageSettings] = []
        for item in try document.items(node, of: "whiteBalance") {
            if item.scalar != nil {
                let kelvin = try document.number(item, of: "a temperature in kelvin")
                steps.append(.whiteBalance(.temperatureAndTint(TemperatureAndTint(temperature: kelvin))))
                continue
            }
            let known = ["temperature", "tint", "red", "green", "blue"]
            var numbers: [String: Double] = [:]
            for (key, node) in try document.entries(item, of: "a white balance", known: known) {
                numbers[key] = try document.number(node, of: key)
            }
            if let kelvin = numbers["temperature"], numbers["red"] ?? numbers["green"] ?? numbers["blue"] == nil {
                let white = TemperatureAndTint(temperature: kelvin, tint: numbers["tint"] ?? 0)
                steps.append(.whiteBalance(.temperatureAndTint(white)))
            } else if let red = numbers["red"], let green = numbers["green"], let blue = numbers["blue"],
                numbers.count == 3
            {
                steps.append(.whiteBalance(.gains(WhiteBalanceGains(red: red, green: green, blue: blue))))
            } else {
                throw document.error(
                    item, "a white balance is a temperature with or without a tint, or red, green, blue")
            }
        }
        return steps
    }

    static func formats(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> [PhotoFormat] {
        var formats: [PhotoFormat] = []
        for item in try document.items(node, of: "formats") {
            let text = try document.text(item, of: "a format")
            guard let format = PhotoFormat(rawValue: text) else {
                let known = PhotoFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw document.error(item, "'\(text)' is not a format; the formats are \(known)")
            }
            if formats.contains(format) { throw document.error(item, "'\(text)' is given twice") }
            formats.append(format)
        }
        if formats.isEmpty { throw document.error(node, "no format is given; name jpeg, tiff or dng, or several") }
        return formats
    }

    private static func policy(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> CapturePolicy {
        if let word = node.scalar?.string {
            switch word {
            case "all": return .all
            case "bestEffort": return .bestEffort
            default: throw document.error(node, "policy is all, bestEffort or {atLeast: N}, not '\(word)'")
            }
        }
        let entries = try document.entries(node, of: "policy", known: ["atLeast"])
        guard let value = entries["atLeast"] else { throw document.error(node, "policy wants atLeast: N") }
        let count = try document.integer(value, of: "atLeast")
        if count < 1 { throw document.error(value, "atLeast is 1 or more, not \(count)") }
        return .atLeast(count)
    }
}
