import Foundation

/// Documents as JSON on one line.
package enum JSONText {
    /// A document's text, without a line end.
    package static func of(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("documents hold texts and numbers") }
        return String(decoding: data, as: UTF8.self)
    }
}
