public import CaptureModel

extension Exposure {
    /// Whether a frame's exposure is the one asked for, allowing for a driver's rounding: 2 %, or 50 µs of time.
    package func matches(_ wanted: Exposure) -> Bool {
        if let time = duration, let wantedTime = wanted.duration {
            let apart = abs(time.nanoseconds - wantedTime.nanoseconds)
            if apart > max(50_000, wantedTime.nanoseconds / 50) { return false }
        }
        if let iso, let wantedISO = wanted.iso, abs(iso - wantedISO) > wantedISO / 50 { return false }
        if let gain, let wantedGain = wanted.gain, abs(gain - wantedGain) > abs(wantedGain) / 50 { return false }
        return true
    }
}

extension Exposure: CustomStringConvertible {
    /// As much of it as is known, as in `1/250 s, ISO 100`.
    public var description: String {
        let parts = [
            duration.map(\.description), iso.map { "ISO \(Int($0.rounded()))" }, gain.map { "gain \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
