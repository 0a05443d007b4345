/// What one step of a bracket asks of the camera.
public enum BracketedStillImageSettings: Hashable, Sendable {
    /// The metered exposure moved by a bias in EV. Apple: `AVCaptureAutoExposureBracketedStillImageSettings`.
    case autoExposure(exposureTargetBias: Requested<Double>)
    /// A duration and an ISO. Apple: `AVCaptureManualExposureBracketedStillImageSettings`. The gain is Volley's
    /// addition for cameras whose gain has no unit.
    case manualExposure(
        exposureDuration: Requested<ExposureDuration>, iso: Requested<Double>, gain: Requested<Double> = .current)
    /// One more picture with the exposure as it is.
    case burst

    // Beyond Apple's API; the exposure is held at what it is.

    /// A lens position, 0 nearest and 1 furthest: a bracket for focus stacking.
    case focus(lensPosition: Double)
    /// A white balance.
    case whiteBalance(WhiteBalance)

    /// The kind of bracket that such a step belongs to.
    public var kind: BracketKind {
        switch self {
        case .autoExposure: .autoExposure
        case .manualExposure: .manualExposure
        case .burst: .burst
        case .focus: .focus
        case .whiteBalance: .whiteBalance
        }
    }
}

/// The kinds of bracket; a bracket never mixes them. The last two are not Apple's.
public enum BracketKind: String, Hashable, Sendable, Codable, CaseIterable {
    case autoExposure, manualExposure, burst, focus, whiteBalance
}

extension BracketedStillImageSettings {
    /// The bias requested; the current one where the step does not set it.
    public var exposureTargetBias: Requested<Double> {
        if case .autoExposure(let bias) = self { bias } else { .current }
    }

    /// The duration requested; the current one where the step does not set it.
    public var exposureDuration: Requested<ExposureDuration> {
        if case .manualExposure(let duration, _, _) = self { duration } else { .current }
    }

    /// The ISO requested; the current one where the step does not set it.
    public var iso: Requested<Double> {
        if case .manualExposure(_, let iso, _) = self { iso } else { .current }
    }

    /// The gain requested; the current one where the step does not set it.
    public var gain: Requested<Double> {
        if case .manualExposure(_, _, let gain) = self { gain } else { .current }
    }

    /// The lens position of a focus bracket's step.
    public var lensPosition: Double? {
        if case .focus(let position) = self { position } else { nil }
    }

    /// The white balance of a white balance bracket's step.
    public var whiteBalance: WhiteBalance? {
        if case .whiteBalance(let white) = self { white } else { nil }
    }
}
