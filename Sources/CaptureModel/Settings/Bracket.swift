/// The steps of a bracket: at least one, all of one kind.
public struct Bracket: Hashable, Sendable {
    /// In the order in which they are exposed; step n has `sequenceCount` n + 1.
    public let steps: [BracketedStillImageSettings]

    /// The kind of all its steps.
    public var kind: BracketKind { steps[0].kind }

    /// How many exposures it takes.
    public var count: Int { steps.count }

    /// Whether its steps differ in exposure.
    public var variesExposure: Bool { kind == .autoExposure || kind == .manualExposure }

    /// The most steps that anyone may ask for, whatever the camera: it limits what a plan from outside can make a rig
    /// allocate.
    public static let maximumCount = 1024

    /// Takes the steps of a bracket.
    ///
    /// - Throws: ``CaptureSettingsError`` for no steps, for mixed kinds (Apple throws for both) and for numbers that
    ///   make sense for no camera (not finite, not positive).
    public init(_ steps: [BracketedStillImageSettings]) throws(CaptureSettingsError) {
        guard let first = steps.first else {
            throw CaptureSettingsError(.emptyBracket, "The bracket is empty; give it at least one step.")
        }
        guard steps.count <= Self.maximumCount else {
            throw CaptureSettingsError(
                .tooManyBracketedPhotos, "The bracket has \(steps.count) steps; the most is \(Self.maximumCount).")
        }
        for (index, step) in steps.enumerated() {
            guard step.kind == first.kind else {
                throw CaptureSettingsError(
                    .mixedBracket,
                    "Step \(index + 1) is \(step.kind.rawValue) in a bracket of kind \(first.kind.rawValue); "
                        + "a bracket has steps of one kind.")
            }
            try Self.checkNumbers(step, number: index + 1)
        }
        self.steps = steps
    }

    /// A number of pictures with the exposure as it is.
    public static func burst(_ count: Int) throws(CaptureSettingsError) -> Bracket {
        // Checked here as well, so that a number from outside never becomes an array.
        guard count <= maximumCount else {
            throw CaptureSettingsError(
                .tooManyBracketedPhotos, "A burst of \(count) was requested; the most is \(maximumCount).")
        }
        return try Bracket(Array(repeating: .burst, count: max(0, count)))
    }

    private static func checkNumbers(
        _ step: BracketedStillImageSettings, number: Int
    ) throws(CaptureSettingsError) {
        switch step {
        case .autoExposure(let bias):
            guard bias.value?.isFinite ?? true else {
                throw CaptureSettingsError(.exposureTargetBiasOutOfRange, "Step \(number): the bias is not a number.")
            }
        case .manualExposure(let duration, let iso, let gain):
            guard duration.value.map({ $0.nanoseconds > 0 }) ?? true else {
                throw CaptureSettingsError(.exposureDurationOutOfRange, "Step \(number): the duration is not positive.")
            }
            guard iso.value.map({ $0.isFinite && $0 > 0 }) ?? true else {
                throw CaptureSettingsError(.isoOutOfRange, "Step \(number): the ISO is not a positive number.")
            }
            guard gain.value?.isFinite ?? true else {
                throw CaptureSettingsError(.gainOutOfRange, "Step \(number): the gain is not a number.")
            }
            guard iso == .current || gain == .current else {
                throw CaptureSettingsError(.gainOutOfRange, "Step \(number) has an ISO and a gain; give only one.")
            }
        case .focus(let position):
            guard (0...1).contains(position) else {
                throw CaptureSettingsError(
                    .lensPositionOutOfRange, "Step \(number): a lens position is 0 (nearest) to 1 (furthest).")
            }
        case .whiteBalance(.gains(let gains)):
            guard gains.areValid else {
                throw CaptureSettingsError(.whiteBalanceOutOfRange, "Step \(number): a gain is a number above 0.")
            }
        case .whiteBalance(.temperatureAndTint(let white)):
            guard (1000...25_000).contains(white.temperature), (-150...150).contains(white.tint) else {
                throw CaptureSettingsError(
                    .whiteBalanceOutOfRange,
                    "Step \(number): a temperature is 1000 to 25000 K, a tint -150 to 150.")
            }
        case .burst:
            break
        }
    }
}

extension Bracket: Codable {
    private struct ManualStep: Codable {
        var duration: Requested<ExposureDuration>?
        var iso: Requested<Double>?
        var gain: Requested<Double>?
    }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ kind: BracketKind) { stringValue = kind.rawValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads the one list that names the bracket's kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first,
            let kind = BracketKind(rawValue: key.stringValue)
        else {
            let kinds = BracketKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw CaptureSettingsError(.mixedBracket, "A bracket has exactly one of \(kinds).")
        }
        switch kind {
        case .autoExposure:
            let biases = try container.decode([Requested<Double>].self, forKey: key)
            self = try Bracket(biases.map { .autoExposure(exposureTargetBias: $0) })
        case .manualExposure:
            let steps = try container.decode([ManualStep].self, forKey: key)
            self = try Bracket(
                steps.map {
                    .manualExposure(
                        exposureDuration: $0.duration ?? .current, iso: $0.iso ?? .current, gain: $0.gain ?? .current)
                })
        case .burst:
            self = try .burst(container.decode(Int.self, forKey: key))
        case .focus:
            self = try Bracket(container.decode([Double].self, forKey: key).map { .focus(lensPosition: $0) })
        case .whiteBalance:
            self = try Bracket(container.decode([WhiteBalance].self, forKey: key).map { .whiteBalance($0) })
        }
    }

    /// Writes a list under the name of the bracket's kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch kind {
        case .autoExposure:
            try container.encode(steps.map(\.exposureTargetBias), forKey: Key(kind))
        case .manualExposure:
            let manual = steps.map { step in
                ManualStep(
                    duration: step.exposureDuration, iso: step.iso, gain: step.gain == .current ? nil : step.gain)
            }
            try container.encode(manual, forKey: Key(kind))
        case .burst:
            try container.encode(count, forKey: Key(kind))
        case .focus:
            try container.encode(steps.compactMap(\.lensPosition), forKey: Key(kind))
        case .whiteBalance:
            try container.encode(steps.compactMap(\.whiteBalance), forKey: Key(kind))
        }
    }
}
