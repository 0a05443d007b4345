public import CaptureModel
import Glibc

/// What was learned about a camera model: after how many frames its controls act, and what its code values mean.
public struct CameraProfile: Hashable, Sendable, Codable {
    /// Where the delays come from.
    public enum Source: String, Hashable, Sendable, Codable {
        /// The camera or a table of known sensors says so.
        case known
        /// Measured on the camera.
        case calibrated
    }

    /// A gain and the light that it is worth.
    public struct GainPoint: Hashable, Sendable, Codable {
        /// In the driver's own unit.
        public var gain: Double
        /// In EV above the lowest gain; may fall where the driver counts the other way.
        public var ev: Double

        package init(gain: Double, ev: Double) {
            (self.gain, self.ev) = (gain, ev)
        }
    }

    /// The camera model that it holds for.
    public var modelID: String
    /// The pixel format that the response curve belongs to.
    public var pixelFormat: String
    /// After how many frames each control acts.
    public var delays: ControlDelays
    /// Where the delays come from.
    public var source: Source
    /// Nil where none could be measured.
    package var response: ResponseCurve?
    /// Why there is no response curve, in words that follow a colon; nil where nobody has tried.
    public var limitation: String?
    /// Rising in gain; empty where the gain's effect is not known.
    public var gains: [GainPoint]
    /// The correction of each camera's timestamps, by serial number: to be added to them, in nanoseconds.
    package var startOffsets: [String: Int64]?
    /// How well each camera's starts are then known against other cameras, by serial number.
    package var lamps: [String: StartMeasurement]?

    package init(
        modelID: String, pixelFormat: String, delays: ControlDelays, source: Source, response: ResponseCurve?,
        gains: [GainPoint] = []
    ) {
        self.modelID = modelID
        self.pixelFormat = pixelFormat
        self.delays = delays
        self.source = source
        self.response = response
        self.gains = gains
    }

    /// Distinguishes it from every other profile: 16 hexadecimal digits.
    ///
    /// It covers what photos are judged by; corrections of timestamps are not part of it. FNV-1a, by G. Fowler,
    /// L. C. Noll and K.-P. Vo.
    public var fingerprint: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes in
                for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
        }
        for text in [modelID, pixelFormat] { for byte in text.utf8 { add(byte) } }
        for delay in [delays.exposureDuration, delays.gain, delays.frameDuration] { add(Int64(delay)) }
        for point in gains {
            add(point.gain.bitPattern)
            add(point.ev.bitPattern)
        }
        for code in 0..<ResponseCurve.steps {
            add((response?.logLight(Float(code) / Float(ResponseCurve.steps - 1)) ?? 0).bitPattern)
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether the numbers are plausible: they may come from a file that anybody can edit.
    public var isValid: Bool {
        let all = [delays.exposureDuration, delays.gain, delays.frameDuration]
        let starts = startOffsets?.values.allSatisfy { $0.magnitude < Int64.seconds(1).magnitude } ?? true
        let measured = lamps?.values.allSatisfy { $0.lamp.isPlausible } ?? true
        return all.allSatisfy { (1...60).contains($0) } && response?.isValid ?? true && starts && measured
    }

    /// How much light an exposure gathers from a scene, in EV above an arbitrary one.
    ///
    /// - Returns: nil without a duration; a gain whose effect is not known counts as none, see ``knows(gain:)``.
    package func light(of exposure: Exposure) -> Double? {
        guard let duration = exposure.duration, duration.nanoseconds > 0 else { return nil }
        return log2(duration.seconds) + log2(max(exposure.iso ?? 1, 1e-9)) + (exposure.gain.map(gainLight) ?? 0)
    }

    /// Whether it was measured how much light a gain is worth; true where there is no gain.
    package func knows(gain: Double?) -> Bool {
        guard let gain else { return true }
        guard let first = gains.first, let last = gains.last else { return false }
        return first.gain <= gain && gain <= last.gain
    }

    /// Whether two gains, both known, differ by so little light that a picture may not tell one from the other.
    ///
    /// - Parameter ev: the difference that a picture is sure to show.
    package func looksAlike(_ one: Double, _ other: Double, within ev: Double) -> Bool {
        one != other && abs(gainLight(one) - gainLight(other)) < ev
    }

    /// Between two measured gains the light is taken to rise evenly.
    private func gainLight(_ gain: Double) -> Double {
        guard let first = gains.first, let last = gains.last else { return 0 }
        guard let above = gains.first(where: { $0.gain >= gain }) else { return last.ev }
        let below = gains.last { $0.gain <= gain } ?? first
        guard above.gain > below.gain else { return above.ev }
        return below.ev + (above.ev - below.ev) * (gain - below.gain) / (above.gain - below.gain)
    }
}
