import Glibc

/// A colour without its brightness, in the CIE 1931 diagram. Apple: `AVCaptureDevice.WhiteBalanceChromaticityValues`.
public struct Chromaticity: Hashable, Sendable, Codable {
    /// 0 to 1.
    public var x: Double
    /// 0 to 1.
    public var y: Double

    /// A colour by its coordinates.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }
}

/// A colour in the CIE 1960 diagram, in which isotherms are perpendicular to the Planckian locus.
private struct UniformChromaticity {
    var u: Double
    var v: Double

    init(u: Double, v: Double) {
        (self.u, self.v) = (u, v)
    }

    init(_ colour: Chromaticity) {
        let scale = -2 * colour.x + 12 * colour.y + 3
        (u, v) = (4 * colour.x / scale, 6 * colour.y / scale)
    }

    var chromaticity: Chromaticity {
        let scale = 2 * u - 8 * v + 4
        return Chromaticity(x: 3 * u / scale, y: 2 * v / scale)
    }

    /// The colour of a black body. M. Krystek, Color Research and Application 10 (1985) 38: within 9e-5 of Planck's
    /// law from 1000 to 15 000 K; beyond, up to 25 000 K, tested here to stay within 2e-4.
    init(blackBody temperature: Double) {
        let t = min(max(temperature, 1000), 25_000)
        u = (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t) / (1 + 8.42420235e-4 * t + 7.08145163e-7 * t * t)
        v = (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t) / (1 - 2.89741816e-5 * t + 1.61456053e-7 * t * t)
    }

    /// The direction away from the locus at a temperature, towards green, of length 1.
    static func normal(at temperature: Double) -> (u: Double, v: Double) {
        let (before, after) = (
            UniformChromaticity(blackBody: temperature * 0.999), UniformChromaticity(blackBody: temperature * 1.001)
        )
        let (du, dv) = (after.u - before.u, after.v - before.v)
        let length = (du * du + dv * dv).squareRoot()
        // Along the locus u and v fall with the temperature; a quarter turn from there, to less u and more v, is green.
        return (dv / length, -du / length)
    }
}

extension TemperatureAndTint {
    /// The tint of one unit of distance in the CIE 1960 diagram.
    private static let tintPerDistance = 3000.0
    /// The temperatures for which Krystek's formula holds, with a margin that is tested.
    private static let range = 1000.0...25_000.0

    /// The temperature and tint of a white point: the point of the locus nearest to it, and how far away it is.
    ///
    /// Within 0.2 % of the temperature on the locus from 1500 to 15 000 K. Nearest in the CIE 1960 diagram, as CIE
    /// 15 defines the correlated colour temperature; far from the locus a temperature means little.
    public init(_ colour: Chromaticity) {
        let point = UniformChromaticity(colour)
        func distance(_ mired: Double) -> Double {
            let locus = UniformChromaticity(blackBody: 1e6 / mired)
            return (point.u - locus.u) * (point.u - locus.u) + (point.v - locus.v) * (point.v - locus.v)
        }
        // In mired the locus is evenly spaced, and the distance has a single minimum: a ternary search finds it.
        var (low, high) = (1e6 / Self.range.upperBound, 1e6 / Self.range.lowerBound)
        for _ in 0..<80 {
            let (left, right) = (low + (high - low) / 3, high - (high - low) / 3)
            if distance(left) < distance(right) { high = right } else { low = left }
        }
        let temperature = 2e6 / (low + high)
        let locus = UniformChromaticity(blackBody: temperature)
        let normal = UniformChromaticity.normal(at: temperature)
        let greener = (point.u - locus.u) * normal.u + (point.v - locus.v) * normal.v
        self.init(temperature: temperature, tint: greener * Self.tintPerDistance)
    }

    /// The white point that these values stand for.
    public var chromaticity: Chromaticity {
        let locus = UniformChromaticity(blackBody: temperature)
        let normal = UniformChromaticity.normal(at: temperature)
        let greener = tint / Self.tintPerDistance
        return UniformChromaticity(u: locus.u + normal.u * greener, v: locus.v + normal.v * greener).chromaticity
    }
}

extension WhiteBalanceGains {
    /// The gains that make a white point grey, for a sensor with the primaries of sRGB (IEC 61966-2-1).
    ///
    /// A real sensor has other primaries, which V4L2 does not report. Gains may come out beyond what a device takes.
    public init(_ colour: Chromaticity) {
        let (x, z) = (colour.x / colour.y, (1 - colour.x - colour.y) / colour.y)
        // XYZ to linear sRGB with its D65 white.
        let red = 3.2404542 * x - 1.5371385 - 0.4985314 * z
        let green = -0.9692660 * x + 1.8760108 + 0.0415560 * z
        let blue = 0.0556434 * x - 0.2040259 + 1.0572252 * z
        // A very red light has no blue in these primaries; the gain for none is a large one, not a negative one.
        let least = 1e-3
        self =
            WhiteBalanceGains(red: 1 / max(red, least), green: 1 / max(green, least), blue: 1 / max(blue, least))
            .normalized
    }

    /// The white point that these gains make grey: the inverse.
    public var chromaticity: Chromaticity {
        let (red, green, blue) = (1 / self.red, 1 / self.green, 1 / self.blue)
        let x = 0.4124564 * red + 0.3575761 * green + 0.1804375 * blue
        let y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
        let z = 0.0193339 * red + 0.1191920 * green + 0.9503041 * blue
        return Chromaticity(x: x / (x + y + z), y: y / (x + y + z))
    }

    /// The gains that turn the mean colour of a grey card into grey.
    ///
    /// - Parameter mean: linear red, green and blue.
    public init(grayCard mean: (red: Double, green: Double, blue: Double)) {
        let least = 1e-6
        self =
            WhiteBalanceGains(
                red: 1 / max(mean.red, least), green: 1 / max(mean.green, least), blue: 1 / max(mean.blue, least)
            ).normalized
    }
}
