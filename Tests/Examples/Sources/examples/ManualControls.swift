import PhotoCapture

/// Focus, exposure and white balance by hand, as far as the camera has them. Apple: "Manual Camera Controls".
func setByHand(_ device: CaptureDevice) async throws {
    try device.lockForConfiguration()
    defer { device.unlockForConfiguration() }

    if device.isExposureModeSupported(.custom), let range = device.capabilities.exposureDurationRange {
        let wanted = ExposureDuration(seconds: 1 / 100)
        let duration = min(max(wanted, range.lowerBound), range.upperBound)
        // Returns with the first frame that was exposed so.
        let time = try await device.setExposureModeCustom(duration: .value(duration))
        let shown = device.properties.value.exposure
        try expect(device.properties.value.exposureMode == .custom, "the mode is custom")
        let error = abs((shown.duration?.seconds ?? 0) / duration.seconds - 1)
        try expect(error < 0.05, "asked for \(duration), shown \(shown)")
        print("exposed with \(shown) from \(time) on")
    }
    if device.isFocusModeSupported(.locked), device.capabilities.canSetLensPosition {
        _ = try await device.setFocusModeLocked(lensPosition: .value(0.5))
        try expect(abs(device.properties.value.lensPosition - 0.5) < 0.05, "the lens is half way")
    }
    if device.isWhiteBalanceModeSupported(.locked), device.capabilities.whiteBalance.temperatureRange != nil {
        _ = try await device.setWhiteBalanceModeLocked(with: .daylight)
        print("white balance: \(device.properties.value.whiteBalance.map { "\($0)" } ?? "unknown")")
    }
    // What a camera cannot do is refused, with a sentence.
    do {
        _ = try await device.setExposureModeCustom(duration: .value(ExposureDuration(seconds: 3600)))
        throw Disappointment(description: "no camera exposes for an hour")
    } catch let error as CaptureDeviceError {
        print("refused: \(error)")
    }
    if device.isExposureModeSupported(.continuousAutoExposure) {
        try await device.setExposureMode(.continuousAutoExposure)
        if let range = device.capabilities.exposureTargetBiasRange, range.contains(1) {
            try device.setExposureTargetBias(.value(1))
            try device.setExposureTargetBias(.value(0))
        }
    }
}
