/// One label with one of its values.
package struct LabelSummary: Codable, Sendable, Hashable {
    package var key: String
    package var value: String
    /// How many captures have it.
    package var captureCount: Int
    /// When the last of them was accepted.
    package var lastAt: UTCTime

    package init(key: String, value: String, captureCount: Int, lastAt: UTCTime) {
        (self.key, self.value) = (key, value)
        (self.captureCount, self.lastAt) = (captureCount, lastAt)
    }
}
