package import CaptureModel
import Yams

extension Settings {
    /// The groups of a rig, in the order in which they stand in the file.
    ///
    /// A group is a list of nodes, `top: [top-*, door]`, or that and how much later it fires:
    /// `ring: {nodes: [ring-*], offset: 20ms}`.
    package func groups(_ key: String) throws(ConfigurationError) -> [NodeGroup] {
        guard let (node, document) = structure(key) else { return [] }
        guard let mapping = node.mapping else {
            throw document.error(node, "\(key) wants names with the nodes of each, such as {top: [top-*, door]}")
        }
        var groups: [NodeGroup] = []
        for (name, value) in mapping {
            let text = try document.text(name, of: "a group's name")
            guard NodeName(text) != nil else {
                throw document.error(
                    name, "'\(text)' cannot name a group: letters, digits, - and _, at most 64 of them")
            }
            guard value.mapping != nil else {
                groups.append(NodeGroup(name: text, nodes: try document.patterns(value, of: "group \(text)")))
                continue
            }
            let entries = try document.entries(value, of: "group \(text)", known: ["nodes", "offset"])
            guard let nodes = entries["nodes"] else { throw document.error(value, "group \(text) wants nodes") }
            groups.append(
                NodeGroup(
                    name: text, nodes: try document.patterns(nodes, of: "nodes"),
                    offsetNanoseconds: try entries["offset"].map { node throws(ConfigurationError) in
                        try document.duration(node, of: "offset")
                    } ?? 0))
        }
        return groups
    }
}
