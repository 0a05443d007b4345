import CaptureModel
import Yams

/// What a plan says about how the rig is kept in step.
extension PlanFile {
    static func readSync(
        _ entries: [String: Node], _ document: YAMLDocument, _ plan: inout Plan
    ) throws(ConfigurationError) {
        if let node = entries["verify"] {
            guard let verify = node.bool else { throw document.error(node, "verify is true or false") }
            plan.verify = verify
        }
        if let node = entries["lead"] { plan.lead = try document.duration(node, of: "lead") }
        if let node = entries["armedFor"] {
            guard let span = node.scalar.flatMap({ TimeSpan.interval($0.string) }), Plan.armedTimes.contains(span)
            else {
                throw document.error(node, "armedFor wants a time from 1s to a day, such as 30s, 10m or 2h")
            }
            plan.armedFor = span
        }
        if let node = entries["maxSpread"] {
            plan.maxSpread = try document.duration(node, of: "maxSpread")
            if plan.maxSpread == 0 {
                throw document.error(node, "maxSpread must be more than 0: no two cameras begin at the same instant")
            }
        }
        if let node = entries["offsets"] { plan.offsets = try offsets(node, document) }
        if let node = entries["metering"] {
            plan.metering = try metering(node, document)
            if plan.metering != nil, plan.bracket.kind == .manualExposure {
                throw document.error(node, "metering has nothing to decide: manualExposure sets every exposure")
            }
        }
        if let node = entries["whiteBalance"] {
            plan.whiteBalance = try whiteBalance(node, document)
            if plan.whiteBalance != nil, plan.bracket.kind == .whiteBalance {
                throw document.error(node, "whiteBalance is given both here and in the bracket; leave one of them out")
            }
        }
    }

    private static func offsets(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> [FiringOffset] {
        guard let mapping = node.mapping, !mapping.isEmpty else {
            throw document.error(node, "offsets wants nodes with times, such as {north: 0ms, cage-*: 20ms}")
        }
        var offsets: [FiringOffset] = []
        for (key, value) in mapping {
            offsets.append(
                FiringOffset(
                    nodes: try document.pattern(key), nanoseconds: try document.duration(value, of: "an offset")))
        }
        return offsets
    }

    private static func metering(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> MeteringSource? {
        if let word = node.scalar?.string {
            switch word {
            case "perCamera": return nil
            case "rigMedian": return .rigMedian
            default: throw document.error(node, "metering is perCamera, rigMedian or {node: NAME}, not '\(word)'")
            }
        }
        let entries = try document.entries(node, of: "metering", known: ["node"])
        guard let value = entries["node"] else { throw document.error(node, "metering wants node: NAME") }
        return .node(try name(value, document))
    }

    private static func whiteBalance(
        _ node: Node, _ document: YAMLDocument
    ) throws(ConfigurationError) -> WhiteBalanceSource? {
        let help = "whiteBalance is perCamera, {node: NAME} or {greyCard: NAME}"
        if let word = node.scalar?.string {
            if word == "perCamera" { return nil }
            throw document.error(node, "\(help), not '\(word)'")
        }
        let entries = try document.entries(node, of: "whiteBalance", known: ["node", "greyCard"])
        switch (entries["node"], entries["greyCard"]) {
        case (.some(let value), nil): return .node(try name(value, document))
        case (nil, .some(let value)): return .greyCard(try name(value, document))
        default:
            throw document.error(node, help)
        }
    }

    private static func name(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> NodeName {
        let text = try document.text(node, of: "a node's name")
        guard let name = NodeName(text) else { throw document.error(node, "'\(text)' is not a node's name") }
        return name
    }
}
