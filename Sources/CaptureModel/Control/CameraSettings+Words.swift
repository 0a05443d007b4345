/// As people write settings: `exposureDuration=1/250`, `whiteBalance=5600K`.
extension CameraSettings {
    /// Why a word is not a setting.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// One sentence: what was written, and what could be.
        package let description: String
    }

    /// The settings that words of the form `PROPERTY=VALUE` ask for.
    ///
    /// - Throws: ``Problem`` for an unknown property, a value that cannot be read, a property that is given twice, and
    ///   properties that contradict each other.
    package init(words: [String]) throws(Problem) {
        self.init()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0].printableLine
            guard let property = CameraProperty(rawValue: parts[0]), parts.count == 2 else {
                let known = CameraProperty.allCases.map(\.rawValue)
                let meant = known.nearest(to: parts[0]).map { " Did you mean \($0)?" } ?? ""
                throw Problem(
                    description: parts.count == 2
                        ? "A camera has no '\(name)'; its properties are \(known.joined(separator: ", ")).\(meant)"
                        : "'\(name)' is no setting; write PROPERTY=VALUE, such as iso=200.")
            }
            guard text(of: property) == nil else { throw Problem(description: "\(name) is given twice.") }
            guard set(property, to: parts[1]) else {
                throw Problem(
                    description: "\(name) must be \(Self.wanted(property)), not '\(parts[1].printableLine)'.")
            }
        }
        if let problem { throw Problem(description: problem) }
    }

    /// Meter once, and keep that.
    package static var meteringOnce: CameraSettings {
        var settings = CameraSettings()
        settings.exposureMode = .autoExpose
        return settings
    }

    /// Focus once, and keep that.
    package static var focusingOnce: CameraSettings {
        var settings = CameraSettings()
        settings.focusMode = .autoFocus
        return settings
    }

    /// Every property with what it takes, for a command's help.
    package static var help: String {
        "A value that is set ends the automatic that would choose it, and what else that has chosen is kept with it. The "
            + "properties:\n"
            + CameraProperty.allCases.map { "  \($0.rawValue): \(wanted($0))" }.joined(separator: "\n")
    }

    /// What a property takes, for messages.
    package static func wanted(_ property: CameraProperty) -> String {
        switch property {
        case .exposureMode: words(of: ExposureMode.self) + "; auto stands for continuousAutoExposure"
        case .exposureDuration: "an exposure time such as 1/250, 0.004 or 4ms"
        case .iso, .gain, .exposureTargetBias: "a number"
        case .exposurePointOfInterest: "two numbers 0 to 1 such as 0.5,0.5: from the left, from the top"
        case .activeMaxExposureDuration: "an exposure time such as 1/30, or none"
        case .focusMode: words(of: FocusMode.self) + "; auto stands for continuousAutoFocus"
        case .lensPosition: "a number from 0, nearest, to 1, furthest"
        case .autoFocusRangeRestriction: words(of: AutoFocusRangeRestriction.self)
        case .whiteBalanceMode: words(of: WhiteBalanceMode.self) + "; auto stands for continuousAutoWhiteBalance"
        case .whiteBalance:
            "a temperature such as 5600K, one with a tint such as 5600K,-10, or gains for red, green "
                + "and blue such as 1.9,1,1.5"
        case .lensStabilization: "on or off"
        }
    }

    private static func words<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> String {
        let words = type.allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    /// - Returns: whether the text is a value of the property.
    private mutating func set(_ property: CameraProperty, to text: String) -> Bool {
        switch property {
        case .exposureMode: exposureMode = text == "auto" ? .continuousAutoExposure : ExposureMode(rawValue: text)
        case .exposureDuration: exposureDuration = ExposureDuration(parsing: text)
        case .iso: iso = Self.number(text)
        case .gain: gain = Self.number(text)
        case .exposureTargetBias: exposureTargetBias = Self.number(text)
        case .exposurePointOfInterest:
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.number)
            if parts.count == 2, let x = parts[0], let y = parts[1] { exposurePointOfInterest = Point(x: x, y: y) }
        case .activeMaxExposureDuration:
            activeMaxExposureDuration =
                text == "none" ? ExposureDuration(nanoseconds: 0) : ExposureDuration(parsing: text)
        case .focusMode: focusMode = text == "auto" ? .continuousAutoFocus : FocusMode(rawValue: text)
        case .lensPosition: lensPosition = Self.number(text)
        case .autoFocusRangeRestriction: autoFocusRangeRestriction = AutoFocusRangeRestriction(rawValue: text)
        case .whiteBalanceMode:
            whiteBalanceMode = text == "auto" ? .continuousAutoWhiteBalance : WhiteBalanceMode(rawValue: text)
        case .whiteBalance: whiteBalance = Self.whiteBalance(text)
        case .lensStabilization: isLensStabilizationOn = ["on": true, "off": false][text]
        }
        return self.text(of: property) != nil
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func whiteBalance(_ text: String) -> WhiteBalance? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        if let first = parts.first, first.hasSuffix("K") {
            guard parts.count <= 2, let temperature = number(first.dropLast()),
                let tint = parts.count == 2 ? number(parts[1]) : 0
            else { return nil }
            return .temperatureAndTint(TemperatureAndTint(temperature: temperature, tint: tint))
        }
        let gains = parts.compactMap(number)
        guard gains.count == 3, parts.count == 3 else { return nil }
        return .gains(WhiteBalanceGains(red: gains[0], green: gains[1], blue: gains[2]))
    }

    /// A property's value as ``init(words:)`` reads it, but for rounding; nil where there is none.
    package func text(of property: CameraProperty) -> String? {
        switch property {
        case .exposureMode: exposureMode?.rawValue
        case .exposureDuration: exposureDuration?.description
        case .iso: iso.map(Self.text)
        case .gain: gain.map(Self.text)
        case .exposureTargetBias: exposureTargetBias.map(Self.text)
        case .exposurePointOfInterest: exposurePointOfInterest.map { "\(Self.text($0.x)),\(Self.text($0.y))" }
        case .activeMaxExposureDuration: activeMaxExposureDuration.map { $0.nanoseconds == 0 ? "none" : "\($0)" }
        case .focusMode: focusMode?.rawValue
        case .lensPosition: lensPosition.map(Self.text)
        case .autoFocusRangeRestriction: autoFocusRangeRestriction?.rawValue
        case .whiteBalanceMode: whiteBalanceMode?.rawValue
        case .whiteBalance:
            switch whiteBalance {
            case .gains(let gains):
                "\(Self.text(gains.red)),\(Self.text(gains.green)),\(Self.text(gains.blue))"
            case .temperatureAndTint(let white):
                "\(Self.text(white.temperature))K" + (white.tint == 0 ? "" : ",\(Self.text(white.tint))")
            case nil: nil
            }
        case .lensStabilization: isLensStabilizationOn.map { $0 ? "on" : "off" }
        }
    }

    /// Three digits behind the point at most, and none that are zero; of any number that a peer may send.
    package static func text(_ number: Double) -> String {
        guard number.magnitude < 1e12 else { return "\(number)" }
        let rounded = (number * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int64(clamped: rounded)) : "\(rounded)"
    }

    /// All of it in words: `exposureMode custom, iso 200`.
    package var words: String {
        properties.map { "\($0.rawValue) \(text(of: $0) ?? "")" }.joined(separator: ", ")
    }
}
