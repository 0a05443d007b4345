package import CaptureModel

/// What to capture, as an operator writes it: the bracket, the formats, the policy.
package struct Plan: Hashable, Sendable, Codable {
    package var name: String
    package var bracket: Bracket
    package var formats: [PhotoFormat]
    package var policy: CapturePolicy

    package init(name: String, bracket: Bracket, formats: [PhotoFormat] = [.jpeg], policy: CapturePolicy = .all) {
        self.name = name
        self.bracket = bracket
        self.formats = formats
        self.policy = policy
    }

    /// How many photos each node owes.
    package var expectedPhotoCount: Int { bracket.count * formats.count }
}
