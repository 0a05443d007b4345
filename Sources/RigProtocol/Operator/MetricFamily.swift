/// Measurements of one name, in the terms of Prometheus' data model.
package struct MetricFamily: Codable, Sendable, Hashable {
    /// One of them.
    package struct Sample: Codable, Sendable, Hashable {
        /// What it is of, besides the family's name.
        package var labels: [String: String]
        /// In the unit that the name ends in.
        package var value: Double
    }

    /// In Prometheus' base units: seconds, bytes, degrees Celsius; a counter's ends in `_total`.
    package var name: String
    /// What it means, in one sentence.
    package var help: String
    /// `counter` or `gauge`.
    package var type: String
    /// In no order.
    package var samples: [Sample] = []

    /// A value that goes up and down.
    package static func gauge(_ name: String, _ help: String) -> Self { Self(name: name, help: help, type: "gauge") }

    /// A value that goes up, until the program that counts starts anew.
    package static func counter(_ name: String, _ help: String) -> Self {
        Self(name: name, help: help, type: "counter")
    }

    /// Adds a measurement; nil for one that nobody could make.
    package mutating func add(_ value: Double?, _ labels: [String: String] = [:]) {
        if let value { samples.append(Sample(labels: labels, value: value)) }
    }

    /// The family with one measurement, or none where nobody could make it.
    package func with(_ value: Double?) -> Self {
        var family = self
        family.add(value)
        return family
    }
}
