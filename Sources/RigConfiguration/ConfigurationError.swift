/// What is wrong with a file or a setting, and where.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `plan.yaml:3:5`, `VOLLEY_PORT`, `--port`.
    package let place: String
    /// What is wrong there and what would be right; it continues the line after the place.
    package let message: String

    package init(place: String, message: String) {
        self.place = place
        self.message = message
    }

    package var description: String { "\(place): \(message)" }
}
