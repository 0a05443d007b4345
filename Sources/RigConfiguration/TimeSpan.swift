import CaptureModel

/// A time as written in a file, with its unit: nobody could say whether a bare number was meant in seconds.
package enum TimeSpan {
    /// How errors describe it.
    static let wanted = "a time of up to 60 s with its unit, such as 500us, 2ms or 0.5s"

    /// In nanoseconds, 0 to a minute; nil for anything else.
    package static func nanoseconds(_ text: String) -> Int64? {
        if ["0", "0us", "0ms", "0s"].contains(text) { return 0 }
        guard text.hasSuffix("s"), let time = ExposureDuration(parsing: text), time.nanoseconds <= .seconds(60) else {
            return nil
        }
        return time.nanoseconds
    }

    /// How messages describe an interval.
    package static let wantedInterval = "500ms, 2s, 10m or 2h, up to a day"

    /// What lies between two captures, in nanoseconds; nil for a text that is none.
    package static func interval(_ text: String) -> Int64? {
        for (unit, seconds) in [("m", 60), ("h", 3600)] where text.hasSuffix(unit) {
            if let count = Int(text.dropLast()), (1...86_400 / seconds).contains(count) {
                return .seconds(Int64(count * seconds))
            }
        }
        return ExposureDuration(parsing: text)?.nanoseconds
    }
}

extension Settings {
    /// A number of hours, days or weeks, such as `30d`, in nanoseconds; nil where no layer has one.
    package func days(_ key: String) throws(ConfigurationError) -> Int64? {
        try value(key, wanted: "hours, days or weeks, at least one hour, such as 12h, 30d or 8w") { text in
            let hours: [Character: Int64] = ["h": 1, "d": 24, "w": 168]
            // Up to a century; more is a slip of the finger.
            guard let unit = text.last.flatMap({ hours[$0] }), let count = Int64(text.dropLast()),
                (1...876_600 / unit).contains(count)
            else { return nil }
            return count * unit * .seconds(3600)
        }
    }
}
