extension CameraCapabilities {
    /// Everything in a request that this camera cannot do; empty when it can do it all.
    ///
    /// As with Apple's `capturePhoto(with:delegate:)`, counts, ranges and formats are checked when the capture is
    /// requested, not when the settings are made. The sentinel `current` is always accepted.
    public func violations(bracket: Bracket?, formats requested: [PhotoFormat]) -> [CaptureSettingsError] {
        formatViolations(requested) + (bracket.map(bracketViolations) ?? [])
    }

    private func formatViolations(_ requested: [PhotoFormat]) -> [CaptureSettingsError] {
        if requested.isEmpty {
            return [CaptureSettingsError(.noFormat, "No format was requested; name jpeg, tiff or dng, or several.")]
        }
        if Set(requested).count != requested.count {
            return [CaptureSettingsError(.formatUnavailable, "A format was requested twice.")]
        }
        return requested.filter { !formats.contains($0) }.map { format in
            let offered = formats.map(\.rawValue).joined(separator: ", ")
            return CaptureSettingsError(
                .formatUnavailable,
                "\(cameraID) cannot deliver \(format.rawValue) from its format \(pixelFormat); it offers \(offered).")
        }
    }

    private func bracketViolations(_ bracket: Bracket) -> [CaptureSettingsError] {
        guard maxBracketedCapturePhotoCount > 0 else {
            return [
                CaptureSettingsError(.bracketUnsupported, "\(cameraID) cannot bracket in its format \(pixelFormat).")
            ]
        }
        var found: [CaptureSettingsError] = []
        if bracket.count > maxBracketedCapturePhotoCount {
            found.append(
                CaptureSettingsError(
                    .tooManyBracketedPhotos,
                    "The bracket has \(bracket.count) steps; \(cameraID) takes at most \(maxBracketedCapturePhotoCount)."
                ))
        }
        switch bracket.kind {
        case .autoExposure: found += biasViolations(bracket)
        case .manualExposure: found += manualViolations(bracket)
        case .burst: break
        case .focus where !canSetLensPosition:
            found.append(unsupported("set its lens", reason(for: "lens")))
        case .focus: break
        case .whiteBalance: found += whiteBalanceViolations(bracket)
        }
        return found
    }

    private func biasViolations(_ bracket: Bracket) -> [CaptureSettingsError] {
        guard let range = exposureTargetBiasRange else {
            return [
                CaptureSettingsError(
                    .bracketUnsupported, "\(cameraID) cannot take an automatic bracket: \(reason(for: "exposure"))")
            ]
        }
        return bracket.steps.enumerated().compactMap { index, step in
            guard let bias = step.exposureTargetBias.value, !range.contains(bias) else { return nil }
            return CaptureSettingsError(
                .exposureTargetBiasOutOfRange,
                "Step \(index + 1) asks for a bias of \(bias) EV; \(cameraID) takes "
                    + "\(range.lowerBound) to \(range.upperBound) EV.")
        }
    }

    private func manualViolations(_ bracket: Bracket) -> [CaptureSettingsError] {
        bracket.steps.enumerated().flatMap { index, step in
            [
                violation(
                    step.exposureDuration.value, exposureDurationRange, number: index + 1,
                    code: .exposureDurationOutOfRange, name: "exposure"),
                violation(step.iso.value, isoRange, number: index + 1, code: .isoOutOfRange, name: "ISO"),
                violation(step.gain.value, gainRange, number: index + 1, code: .gainOutOfRange, name: "gain"),
            ].compactMap { $0 }
        }
    }

    private func whiteBalanceViolations(_ bracket: Bracket) -> [CaptureSettingsError] {
        guard whiteBalance.canBeSet else { return [unsupported("set its white balance", reason(for: "white balance"))] }
        return bracket.steps.enumerated().compactMap { index, step in
            step.whiteBalance.flatMap { violation($0, of: "Step \(index + 1)") }
        }
    }

    /// Why the camera cannot use the rig's white balance; nil where it can.
    public func objection(toWhiteBalance white: WhiteBalance) -> CaptureSettingsError? {
        guard whiteBalance.canBeSet else { return unsupported("use the rig's white balance", "its own cannot be set.") }
        guard white.isPlausible else { return unsupported("use the rig's white balance", "there is no such colour.") }
        // Drivers' gains are like this: red and blue relative to a green that cannot be set.
        if case .gains(let gains) = white, let maximum = whiteBalance.maxWhiteBalanceGain,
            max(gains.red, gains.blue) / gains.green <= maximum
        {
            return nil
        }
        return violation(white, of: "The rig's white balance")
    }

    private func violation(_ white: WhiteBalance, of asker: String) -> CaptureSettingsError? {
        switch white {
        case .gains(let gains):
            guard let maximum = whiteBalance.maxWhiteBalanceGain else {
                return unsupported("take white balance gains", "it takes a temperature instead.")
            }
            guard gains.normalized.maximum > maximum else { return nil }
            return CaptureSettingsError(
                .whiteBalanceOutOfRange,
                "\(asker) asks for a gain of \(gains.normalized.maximum); \(cameraID) takes up to \(maximum).")
        case .temperatureAndTint(let white):
            guard let range = whiteBalance.temperatureRange else {
                let gain = WhiteBalanceGains(white.chromaticity).maximum
                guard gain > whiteBalance.maxWhiteBalanceGain ?? 1 else { return nil }
                return CaptureSettingsError(
                    .whiteBalanceOutOfRange,
                    "\(asker): \(Int(clamped: white.temperature)) K needs a gain of \((gain * 10).rounded() / 10); "
                        + "\(cameraID) takes up to \(whiteBalance.maxWhiteBalanceGain ?? 1).")
            }
            guard white.tint == 0 else { return unsupported("take a tint", "it takes a temperature only.") }
            guard !range.contains(white.temperature) else { return nil }
            return CaptureSettingsError(
                .whiteBalanceOutOfRange,
                "\(asker) asks for \(Int(clamped: white.temperature)) K; \(cameraID) takes "
                    + "\(Int(clamped: range.lowerBound)) to \(Int(clamped: range.upperBound)) K.")
        }
    }

    private func unsupported(_ what: String, _ reason: String) -> CaptureSettingsError {
        CaptureSettingsError(.bracketUnsupported, "\(cameraID) cannot \(what): \(reason)")
    }

    private func violation<Value: Comparable>(
        _ value: Value?, _ range: ClosedRange<Value>?, number: Int, code: CaptureSettingsError.Code, name: String
    ) -> CaptureSettingsError? {
        guard let value else { return nil }
        guard let range else {
            return CaptureSettingsError(
                .bracketUnsupported, "Step \(number) sets \(name); \(cameraID) cannot: \(reason(for: name))")
        }
        guard !range.contains(value) else { return nil }
        return CaptureSettingsError(
            code,
            "Step \(number) asks for \(name) \(value); \(cameraID) takes \(range.lowerBound) to \(range.upperBound).")
    }

    /// The camera's own sentence about something that it lacks.
    private func reason(for name: String) -> String {
        limitations.first { $0.contains(name) } ?? "it has no such control."
    }
}
