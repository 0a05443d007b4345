import CaptureModel
import Yams

/// A YAML file that knows where everything in it is.
struct YAMLDocument {
    let name: String
    let root: Node

    init(_ text: String, name: String) throws(ConfigurationError) {
        self.name = name
        do {
            root = try Yams.compose(yaml: text) ?? Node.mapping([:])
        } catch let error as YamlError {
            throw Self.error(name, error, text)
        } catch {
            throw ConfigurationError(place: name, message: "\(error)")
        }
    }

    private static func error(_ name: String, _ error: YamlError, _ text: String) -> ConfigurationError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ConfigurationError(
                place: "\(name):\(mark.line):\(mark.column)",
                message: hasTab(text, mark.line) && (problem.contains("tab character") || problem.contains("any token"))
                    ? "this line is indented with a tab; YAML allows only spaces"
                    : "this is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            ConfigurationError(
                place: "\(name):\(context.mark.line):\(context.mark.column)",
                message: "\(keys.map { "'\($0)'" }.joined(separator: ", ")) is given here and again further down")
        default:
            ConfigurationError(place: name, message: "this is not YAML: \(error)")
        }
    }

    /// Whether a line is indented by a tab: the parser's own words for that name no tab.
    private static func hasTab(_ text: String, _ number: Int) -> Bool {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.dropFirst(number - 1).first?.prefix(while: \.isWhitespace).contains("\t") ?? false
    }

    func error(_ node: Node, _ message: String) -> ConfigurationError {
        let mark = node.mark.map { ":\($0.line):\($0.column)" } ?? ""
        return ConfigurationError(place: name + mark, message: message)
    }

    /// The entries of a mapping; a key that is not among the known ones is an error at its place.
    func entries(_ node: Node, of thing: String, known: [String]) throws(ConfigurationError) -> [String: Node] {
        guard let mapping = node.mapping else {
            throw error(node, "\(thing) wants keys: \(known.joined(separator: ", "))")
        }
        var entries: [String: Node] = [:]
        for (key, value) in mapping {
            guard let name = key.string, known.contains(name) else {
                throw error(
                    key,
                    "'\(key.string ?? "?")' is not known in \(thing); the keys are \(known.joined(separator: ", "))")
            }
            entries[name] = value
        }
        return entries
    }

    /// The keys of a mapping, whatever they are.
    func keys(_ node: Node, of thing: String) throws(ConfigurationError) -> [String] {
        guard let mapping = node.mapping else { throw error(node, "\(thing) wants keys with values") }
        return try mapping.keys.map { key throws(ConfigurationError) in try text(key, of: "a key of \(thing)") }
    }

    func items(_ node: Node, of thing: String) throws(ConfigurationError) -> [Node] {
        guard let sequence = node.sequence else { throw error(node, "\(thing) wants a list") }
        return Array(sequence)
    }

    func text(_ node: Node, of thing: String) throws(ConfigurationError) -> String {
        guard let scalar = node.scalar else {
            throw error(node, "\(thing) wants a single value; a text that begins with [ or { is written in quotes")
        }
        return scalar.string
    }

    func integer(_ node: Node, of thing: String) throws(ConfigurationError) -> Int {
        let text = try text(node, of: thing)
        guard let number = Int(text) else { throw error(node, "\(thing) wants a whole number, not '\(text)'") }
        return number
    }

    func number(_ node: Node, of thing: String) throws(ConfigurationError) -> Double {
        let text = try text(node, of: thing)
        // YAML writes +2; Swift reads it.
        guard let number = Double(text), number.isFinite else {
            throw error(node, "\(thing) wants a number, not '\(text)'")
        }
        return number
    }

    // MARK: Nodes and times

    /// A list of which a single entry needs no brackets; an empty one, which would stand for nothing, is an error.
    private func list(_ node: Node, of thing: String) throws(ConfigurationError) -> [Node] {
        let items = node.scalar == nil ? try items(node, of: thing) : [node]
        if items.isEmpty { throw error(node, "\(thing) is empty; name at least one, or leave it out") }
        return items
    }

    /// The names of groups.
    func names(_ node: Node, of thing: String) throws(ConfigurationError) -> [String] {
        try list(node, of: thing).map { item throws(ConfigurationError) in try text(item, of: "a name in \(thing)") }
    }

    /// The names of nodes, or patterns of them.
    func patterns(_ node: Node, of thing: String) throws(ConfigurationError) -> [NodePattern] {
        try list(node, of: thing).map(pattern)
    }

    /// A node's name or a pattern of names.
    func pattern(_ node: Node) throws(ConfigurationError) -> NodePattern {
        let name = try text(node, of: "a node's name")
        guard let pattern = NodePattern(rawValue: name) else {
            throw error(node, "'\(name)' is neither a node's name nor a pattern of names, such as top-*")
        }
        return pattern
    }

    /// A time of a minute at most, in nanoseconds.
    func duration(_ node: Node, of thing: String) throws(ConfigurationError) -> Int64 {
        let text = try text(node, of: thing)
        guard let time = TimeSpan.nanoseconds(text) else {
            throw error(node, "\(thing) wants \(TimeSpan.wanted), not '\(text)'")
        }
        return time
    }
}
