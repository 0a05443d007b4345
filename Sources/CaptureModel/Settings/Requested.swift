/// A value asked for, or the device's current one.
///
/// Apple's headers use magic numbers (`AVCaptureISOCurrent`); here, and on the wire, it is the word `current`.
public enum Requested<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    case current
    case value(Value)

    /// The value, or nil where the current one is kept.
    public var value: Value? {
        switch self {
        case .current: nil
        case .value(let value): value
        }
    }

    /// The value; the current one for nil.
    public init(_ value: Value?) {
        self = value.map(Requested.value) ?? .current
    }

    /// Reads the value, or the word `current`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let word = try? container.decode(String.self), word == "current" {
            self = .current
        } else {
            self = .value(try container.decode(Value.self))
        }
    }

    /// Writes the value, or the word `current`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .current: try container.encode("current")
        case .value(let value): try container.encode(value)
        }
    }
}
