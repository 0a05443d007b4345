import Yams

/// A program's settings from three layers: a flag overrides `VOLLEY_*` in the environment, which overrides files.
package struct Settings {
    private struct Value {
        let text: String
        let place: String
    }

    /// What a key has below it that is no list of settings, and the document that it stands in.
    typealias Structure = (node: Node, document: YAMLDocument)

    private let values: [String: Value]
    private let structures: [String: Structure]
    private let fileName: String?

    /// - Parameters:
    ///   - known: the keys, in camel case; any other key in the file is an error at its place. A key with a dot
    ///     belongs to a mapping: `format.width`; with `controls.*` that has keys of the user's own, in the file alone.
    ///   - structured: keys of which a reader of their own makes sense; they stand in files alone.
    ///   - files: the YAML text of each file and its name; what a later one says counts.
    ///   - environment: that of the process.
    ///   - flags: by key; nil for one that was not given.
    package init(
        known: [String], structured: [String] = [], files: [(text: String, name: String)],
        environment: [String: String], flags: [String: String?]
    ) throws(ConfigurationError) {
        var values: [String: Value] = [:]
        var structures: [String: Structure] = [:]
        for file in files {
            let document = try YAMLDocument(file.text, name: file.name)
            let read = try Self.read(document, known, structured)
            values.merge(read.values) { _, later in later }
            structures.merge(read.structures.mapValues { ($0, document) }) { _, later in later }
        }
        for key in known where !key.hasSuffix(".*") {
            let variable = Self.variable(key)
            if let text = environment[variable] { values[key] = Value(text: text, place: variable) }
            if let text = flags[key] ?? nil { values[key] = Value(text: text, place: "--\(Self.flag(key))") }
        }
        (self.values, self.structures) = (values, structures)
        fileName = files.first?.name
    }

    private static func read(
        _ document: YAMLDocument, _ known: [String], _ structured: [String]
    ) throws(ConfigurationError) -> (values: [String: Value], structures: [String: Node]) {
        var tops: [String] = []
        for top in known.map({ String($0.split(separator: ".")[0]) }) where !tops.contains(top) { tops.append(top) }
        var values: [String: Value] = [:]
        var entries = try document.entries(document.root, of: "the configuration", known: tops + structured)
        let structures = entries.filter { structured.contains($0.key) }
        for key in structures.keys { entries[key] = nil }
        for (key, node) in entries {
            var below = known.filter { $0.hasPrefix(key + ".") }.map { String($0.dropFirst(key.count + 1)) }
            if below == ["*"] { below = try document.keys(node, of: key) }
            if below.isEmpty {
                values[key] = Value(text: try document.text(node, of: key), place: document.error(node, "").place)
                continue
            }
            for (name, node) in try document.entries(node, of: key, known: below) {
                values["\(key).\(name)"] = Value(
                    text: try document.text(node, of: name), place: document.error(node, "").place)
            }
        }
        return (values, structures)
    }

    /// What a structured key has below it; nil where no file has it.
    func structure(_ key: String) -> Structure? { structures[key] }

    /// `VOLLEY_COORDINATOR_KEY` for `coordinatorKey`.
    private static func variable(_ key: String) -> String {
        "VOLLEY_" + words(key).map { $0.uppercased() }.joined(separator: "_")
    }

    /// `coordinator-key` for `coordinatorKey`.
    private static func flag(_ key: String) -> String {
        words(key).joined(separator: "-")
    }

    private static func words(_ key: String) -> [String] {
        var words = [""]
        for character in key {
            if character == "." {
                words.append("")
            } else if character.isUppercase {
                words.append(character.lowercased())
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    /// The text of a setting; nil where no layer has one.
    package func text(_ key: String) -> String? { values[key]?.text }

    /// The text of a setting that must be given.
    ///
    /// - Parameter advice: how one comes by it, as the end of a sentence.
    package func requiredText(_ key: String, advice: String = "") throws(ConfigurationError) -> String {
        guard let value = values[key], !value.text.isEmpty else {
            throw ConfigurationError(
                place: fileName ?? "configuration",
                message: "'\(key)' is missing; give it \(fileName == nil ? "in a file with --config" : "there"), "
                    + "as \(Self.variable(key)) or with --\(Self.flag(key))\(advice)")
        }
        return value.text
    }

    /// A whole number in a range; nil where no layer has one.
    package func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let value = values[key] else { return nil }
        guard let number = Int(value.text), range.contains(number) else {
            throw ConfigurationError(
                place: value.place,
                message:
                    "'\(key)' wants a whole number from \(range.lowerBound) to \(range.upperBound), not '\(value.text)'"
            )
        }
        return number
    }

    /// The whole numbers of a mapping with keys of the user's own.
    package func integers(of key: String) throws(ConfigurationError) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for (name, value) in values where name.hasPrefix(key + ".") {
            let name = String(name.dropFirst(key.count + 1))
            guard let number = Int64(value.text) else {
                throw ConfigurationError(
                    place: value.place, message: "'\(name)' wants a whole number, not '\(value.text)'")
            }
            numbers[name] = number
        }
        return numbers
    }

    /// A value that `read` understands; nil where no layer has one.
    ///
    /// - Parameter wanted: what the setting wants, in the words of the error: `a name of letters and digits`.
    package func value<Result>(
        _ key: String, wanted: String, _ read: (String) -> Result?
    ) throws(ConfigurationError) -> Result? {
        guard let value = values[key] else { return nil }
        guard let result = read(value.text) else {
            throw ConfigurationError(place: value.place, message: "'\(key)' wants \(wanted), not '\(value.text)'")
        }
        return result
    }
}
