/// What one step of a bracket asks of the exposure.
package enum BracketedStillImageSettings: Hashable, Sendable {
    /// The metered exposure moved by a bias in EV. Apple: `AVCaptureAutoExposureBracketedStillImageSettings`.
    case autoExposure(exposureTargetBias: Requested<Double>)
    /// A duration and an ISO. Apple: `AVCaptureManualExposureBracketedStillImageSettings`.
    case manualExposure(exposureDuration: Requested<ExposureDuration>, iso: Requested<Double>)
    /// One more picture with the exposure as it is.
    case burst

    /// The kind of bracket that such a step belongs to.
    package var kind: BracketKind {
        switch self {
        case .autoExposure: .autoExposure
        case .manualExposure: .manualExposure
        case .burst: .burst
        }
    }
}

/// The three kinds of bracket; a bracket never mixes them.
package enum BracketKind: String, Hashable, Sendable, Codable, CaseIterable {
    case autoExposure, manualExposure, burst
}

/// The steps of a bracket: at least one, all of one kind.
package struct Bracket: Hashable, Sendable {
    /// In the order in which they are exposed; step n has `sequenceCount` n + 1.
    package let steps: [BracketedStillImageSettings]

    package var kind: BracketKind { steps[0].kind }

    package var count: Int { steps.count }

    /// The most steps that anyone may ask for, whatever the camera: what a plan from outside can make a rig allocate.
    package static let maximumCount = 1024

    /// Takes the steps of a bracket.
    ///
    /// - Throws: ``CaptureSettingsError`` for no step, for mixed kinds (both as Apple does) and for numbers that
    ///   no camera could mean (not finite, not positive).
    package init(_ steps: [BracketedStillImageSettings]) throws(CaptureSettingsError) {
        guard let first = steps.first else {
            throw CaptureSettingsError(.emptyBracket, "The bracket is empty; give it at least one step.")
        }
        guard steps.count <= Self.maximumCount else {
            throw CaptureSettingsError(
                .tooManyBracketedPhotos, "The bracket has \(steps.count) steps; \(Self.maximumCount) are the most.")
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
    package static func burst(_ count: Int) throws(CaptureSettingsError) -> Bracket {
        // The bound stands here as well, so that a number from outside never becomes an array.
        guard count <= maximumCount else {
            throw CaptureSettingsError(
                .tooManyBracketedPhotos, "A burst of \(count) was asked for; \(maximumCount) are the most.")
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
        case .manualExposure(let duration, let iso):
            guard duration.value.map({ $0.nanoseconds > 0 }) ?? true else {
                throw CaptureSettingsError(.exposureDurationOutOfRange, "Step \(number): the duration is not positive.")
            }
            guard iso.value.map({ $0.isFinite && $0 > 0 }) ?? true else {
                throw CaptureSettingsError(.isoOutOfRange, "Step \(number): the ISO is not a positive number.")
            }
        case .burst:
            break
        }
    }
}

extension Bracket: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case autoExposure, manualExposure, burst
    }

    private struct ManualStep: Codable {
        var duration: Requested<ExposureDuration>
        var iso: Requested<Double>
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw CaptureSettingsError(
                .mixedBracket, "A bracket has exactly one of autoExposure, manualExposure, burst.")
        }
        switch key {
        case .autoExposure:
            let biases = try container.decode([Requested<Double>].self, forKey: key)
            self = try Bracket(biases.map { .autoExposure(exposureTargetBias: $0) })
        case .manualExposure:
            let steps = try container.decode([ManualStep].self, forKey: key)
            self = try Bracket(steps.map { .manualExposure(exposureDuration: $0.duration, iso: $0.iso) })
        case .burst:
            self = try .burst(container.decode(Int.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch kind {
        case .autoExposure:
            try container.encode(steps.map(\.exposureTargetBias), forKey: .autoExposure)
        case .manualExposure:
            let manual = steps.map { ManualStep(duration: $0.exposureDuration, iso: $0.iso) }
            try container.encode(manual, forKey: .manualExposure)
        case .burst:
            try container.encode(count, forKey: .burst)
        }
    }
}

extension BracketedStillImageSettings {
    /// The bias asked for; the current one where the step does not speak of it.
    package var exposureTargetBias: Requested<Double> {
        if case .autoExposure(let bias) = self { bias } else { .current }
    }

    /// The duration asked for; the current one where the step does not speak of it.
    package var exposureDuration: Requested<ExposureDuration> {
        if case .manualExposure(let duration, _) = self { duration } else { .current }
    }

    /// The ISO asked for; the current one where the step does not speak of it.
    package var iso: Requested<Double> {
        if case .manualExposure(_, let iso) = self { iso } else { .current }
    }
}
