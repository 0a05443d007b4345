import CaptureModel
import Testing

/// Points of the Planckian locus: G. Wyszecki, W. S. Stiles, Color Science, 2nd edition, table 1(3.11).
private let publishedLocus: [(kelvin: Double, x: Double, y: Double)] = [
    (2000, 0.5267, 0.4133), (2500, 0.4770, 0.4137), (3000, 0.4369, 0.4041), (3500, 0.4053, 0.3907),
    (4000, 0.3804, 0.3767), (5000, 0.3451, 0.3516), (6000, 0.3221, 0.3318), (6500, 0.3135, 0.3237),
    (8000, 0.2952, 0.3048), (10_000, 0.2807, 0.2884), (15_000, 0.2637, 0.2674),
]

@Suite("White balance")
struct WhiteBalanceTests {
    @Test("of a temperature has the published chromaticity, within 0.0008", arguments: publishedLocus)
    func locus(point: (kelvin: Double, x: Double, y: Double)) {
        let colour = TemperatureAndTint(temperature: point.kelvin).chromaticity
        #expect(abs(colour.x - point.x) < 0.0008 && abs(colour.y - point.y) < 0.0008, "\(colour)")
    }

    @Test("of a published chromaticity has its temperature, within 1 %, and no tint", arguments: publishedLocus)
    func temperature(point: (kelvin: Double, x: Double, y: Double)) {
        let white = TemperatureAndTint(Chromaticity(x: point.x, y: point.y))
        #expect(abs(white.temperature / point.kelvin - 1) < 0.01, "\(white)")
        #expect(abs(white.tint) < 2, "\(white)")
    }

    @Test("of the standard illuminants is their correlated colour temperature")
    func illuminants() {
        // CIE 15: A, D50, D55, D65, D75.
        let published: [(x: Double, y: Double, kelvin: Double)] = [
            (0.44757, 0.40745, 2856), (0.34567, 0.35850, 5003), (0.33242, 0.34743, 5503), (0.31272, 0.32903, 6504),
            (0.29902, 0.31485, 7504),
        ]
        for (x, y, kelvin) in published {
            let white = TemperatureAndTint(Chromaticity(x: x, y: y))
            #expect(abs(white.temperature / kelvin - 1) < 0.005, "\(white)")
        }
    }

    @Test("has the tint of Adobe's DNG SDK: daylight lies above the locus, on the green side, which is positive")
    func tint() {
        // dng_temperature::Set_xy_coord of the white points of D65 and D50; it goes by Robertson's table of isotherms.
        #expect(abs(TemperatureAndTint(Chromaticity(x: 0.31272, y: 0.32903)).tint - 9.8) < 1)
        #expect(abs(TemperatureAndTint(Chromaticity(x: 0.34567, y: 0.35850)).tint - 9.6) < 1)
    }

    @Test(
        "comes back from temperature and tint over chromaticity and gains",
        arguments: [2500, 3200, 4000, 5500, 6500, 9000, 14_000] as [Double], [-80, -20, 0, 20, 80] as [Double])
    func roundTrip(kelvin: Double, tint: Double) {
        let white = TemperatureAndTint(temperature: kelvin, tint: tint)
        let back = TemperatureAndTint(white.chromaticity)
        #expect(abs(back.temperature / kelvin - 1) < 0.002 && abs(back.tint - tint) < 0.2, "\(back)")
        let gains = WhiteBalanceGains(white.chromaticity)
        // Beyond the sensor's primaries a gain is bounded, and does not come back.
        guard gains.maximum < 100 else { return }
        let colour = gains.chromaticity
        #expect(abs(colour.x - white.chromaticity.x) < 1e-4 && abs(colour.y - white.chromaticity.y) < 1e-4)
    }

    @Test("gains are normalised to the smallest: (2, 2, 4) becomes (1, 1, 2)")
    func normalized() {
        let gains = WhiteBalanceGains(red: 2, green: 2, blue: 4).normalized
        #expect(gains == WhiteBalanceGains(red: 1, green: 1, blue: 2))
    }

    @Test("gains of a grey card make it grey")
    func grayCard() {
        let gains = WhiteBalanceGains(grayCard: (red: 0.4, green: 0.2, blue: 0.1))
        #expect(gains == WhiteBalanceGains(red: 1, green: 2, blue: 4))
    }

    @Test("of a warm light is mended by more blue")
    func direction() {
        let gains = WhiteBalanceGains(TemperatureAndTint.tungsten.chromaticity)
        #expect(gains.red == 1 && gains.blue > 2 && gains.green > 1)
    }
}
