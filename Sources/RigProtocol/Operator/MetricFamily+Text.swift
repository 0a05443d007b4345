extension [MetricFamily] {
    /// What was measured, in Prometheus' text format, version 0.0.4.
    package var text: String { filter { !$0.samples.isEmpty }.map(\.text).joined(separator: "\n") }
}

extension MetricFamily {
    package var text: String {
        // Samples of one family come together, in an order of their own: scrapes can be compared.
        let lines = samples.map { "\(name)\(Self.text($0.labels)) \(Self.text($0.value))" }.sorted()
        return (["# HELP \(name) \(Self.escaped(help))", "# TYPE \(name) \(type)"] + lines).joined(separator: "\n")
    }

    private static func text(_ labels: [String: String]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0)=\"\(escaped($1, quotes: true))\"" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            case _: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
