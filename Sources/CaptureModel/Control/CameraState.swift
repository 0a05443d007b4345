/// What a camera is set to, and what it can be set to.
package struct CameraState: Hashable, Sendable, Codable {
    /// What it is and can do.
    package var camera: CameraCapabilities
    /// Every property that it has, as it is now; values read back from the driver.
    package var current: CameraSettings
    /// The names of those that an automatic chooses.
    package var automatic: [String] = []
    /// The names of those whose automatic has yet to settle.
    package var adjusting: [String] = []
    /// Metered brightness above the target, in EV; nil where nothing meters.
    package var exposureTargetOffset: Double?
    /// The modes that it has, by the name of the property.
    package var choices: [String: [String]] = [:]
    /// What the driver calls a property's control.
    package var driverNames: [String: String] = [:]
    /// What was set by hand, which outlasts restarts; nil for nothing.
    package var kept: CameraSettings?
    /// Why what was kept is not in force; nil where it is.
    package var problem: String?

    package init(camera: CameraCapabilities, current: CameraSettings) {
        (self.camera, self.current) = (camera, current)
    }

    /// A property with what it can be set to.
    package struct Row: Hashable, Sendable, Codable {
        /// AVFoundation's name for it.
        package var property: CameraProperty
        /// As people write it.
        package var value: String
        /// What it takes.
        package var range: String
        /// Whether an automatic chooses it.
        package var isAutomatic: Bool
        /// Whether that has yet to settle.
        package var isAdjusting: Bool
        /// Whether it was set by hand, for longer than this run.
        package var isKept: Bool
        /// What the driver calls it.
        package var driverName: String?
    }

    /// The properties that the camera has.
    package var rows: [Row] {
        current.properties.map { property in
            let name = property.rawValue
            return Row(
                property: property, value: current.text(of: property) ?? "", range: range(of: property),
                isAutomatic: automatic.contains(name), isAdjusting: adjusting.contains(name),
                isKept: problem == nil && kept?.text(of: property) != nil, driverName: driverNames[name])
        }
    }

    private func range(of property: CameraProperty) -> String {
        func text(_ range: ClosedRange<Double>?, _ unit: String = "") -> String {
            range.map { "\(CameraSettings.text($0.lowerBound)) to \(CameraSettings.text($0.upperBound))\(unit)" } ?? ""
        }
        switch property {
        case .exposureMode, .focusMode, .whiteBalanceMode, .autoFocusRangeRestriction:
            return choices[property.rawValue]?.joined(separator: ", ") ?? ""
        case .exposureDuration, .activeMaxExposureDuration:
            return camera.exposureDurationRange.map { "\($0.lowerBound) to \($0.upperBound)" } ?? ""
        case .iso: return text(camera.isoRange)
        case .gain: return text(camera.gainRange, ", no unit")
        case .exposureTargetBias: return text(camera.exposureTargetBiasRange, " EV")
        case .exposurePointOfInterest: return "0,0 to 1,1"
        case .lensPosition: return camera.canSetLensPosition ? "0 near to 1 far" : ""
        case .whiteBalance:
            let gains = camera.whiteBalance.maxWhiteBalanceGain.map { "gains up to \(CameraSettings.text($0))" }
            let kelvin = camera.whiteBalance.temperatureRange.map { text($0, " K") }
            return [kelvin, gains].compactMap(\.self).joined(separator: " or ")
        case .lensStabilization: return "on, off"
        }
    }
}
