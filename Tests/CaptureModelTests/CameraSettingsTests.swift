import CaptureModel
import Foundation
import Testing

@Suite("What a camera is set to by hand")
struct CameraSettingsTests {
    @Test("is read from words, and told in the same ones")
    func words() throws {
        let words = [
            "exposureMode=custom", "exposureDuration=1/250", "iso=200", "gain=12.5", "exposureTargetBias=-1.3",
            "exposurePointOfInterest=0.25,0.75", "activeMaxExposureDuration=none", "focusMode=locked",
            "lensPosition=0.5", "autoFocusRangeRestriction=near", "whiteBalanceMode=locked",
            "whiteBalance=5600K,-10", "lensStabilization=off",
        ]
        let settings = try CameraSettings(words: words)
        #expect(settings.exposureDuration?.nanoseconds == 4_000_000 && settings.exposureTargetBias == -1.3)
        #expect(settings.whiteBalance == .temperatureAndTint(TemperatureAndTint(temperature: 5600, tint: -10)))
        #expect(settings.properties == CameraProperty.allCases, "each property has its word")
        let told = settings.properties.map { "\($0.rawValue)=\(settings.text(of: $0) ?? "")" }
        #expect(told == words.map { $0 == "exposureDuration=1/250" ? $0 + " s" : $0 })
        #expect(try CameraSettings(words: told) == settings)
        #expect(try JSONDecoder().decode(CameraSettings.self, from: JSONEncoder().encode(settings)) == settings)
    }

    @Test("takes what a photographer calls things")
    func forms() throws {
        let settings = try CameraSettings(words: ["exposureMode=auto", "focusMode=auto", "whiteBalanceMode=auto"])
        #expect(settings.exposureMode == .continuousAutoExposure && settings.focusMode == .continuousAutoFocus)
        #expect(settings.whiteBalanceMode == .continuousAutoWhiteBalance)
        let gains = try CameraSettings(words: ["whiteBalance=1.9,1,1.5", "activeMaxExposureDuration=1/30"])
        #expect(gains.whiteBalance == .gains(WhiteBalanceGains(red: 1.9, green: 1, blue: 1.5)))
        #expect(gains.text(of: .activeMaxExposureDuration) == "1/30 s")
    }

    @Test(
        "says of a word that is none what could be",
        arguments: [
            ("isso=200", "Did you mean iso?"), ("iso", "PROPERTY=VALUE"), ("iso=high", "iso must be a number"),
            ("iso=nan", "a number"), ("exposureDuration=0", "1/250"), ("exposureMode=manual", "custom"),
            ("whiteBalance=5600", "5600K"), ("whiteBalance=1,2", "gains"), ("whiteBalance=1e9K", "outside"),
            ("lensStabilization=yes", "on or off"), ("exposurePointOfInterest=0.5", "0.5,0.5"),
            ("exposurePointOfInterest=1/2,0.25,0.75", "0.5,0.5"),
            ("\u{1B}[31m=1", "A camera has no"),
        ])
    func wrong(word: String, hint: String) {
        let problem = #expect(throws: CameraSettings.Problem.self) { try CameraSettings(words: [word]) }
        #expect(problem?.description.contains(hint) == true, "\(problem?.description ?? "")")
        #expect(problem?.description.contains("\u{1B}") == false)
    }

    @Test(
        "does not contradict itself",
        arguments: [
            ["iso=100", "iso=200"], ["exposureMode=auto", "iso=200"], ["focusMode=autoFocus", "lensPosition=1"],
            ["whiteBalanceMode=auto", "whiteBalance=5600K"],
        ])
    func contradictions(words: [String]) {
        #expect(throws: CameraSettings.Problem.self) { try CameraSettings(words: words) }
    }

    @Test("lets what is set by hand end an automatic, and an automatic what was set by hand")
    func over() throws {
        func set(_ words: String...) throws -> CameraSettings { try CameraSettings(words: words) }
        var kept = try set("iso=200", "exposureDuration=1/100").over(CameraSettings())
        #expect(kept.exposureMode == .custom)
        kept = try set("iso=400").over(kept)
        #expect(kept.iso == 400 && kept.exposureDuration?.nanoseconds == 10_000_000)
        kept = try set("exposureMode=locked").over(kept)
        #expect(kept.iso == 400 && kept.exposureMode == .locked)
        kept = try set("exposureMode=auto", "lensPosition=0.2").over(kept)
        #expect(
            kept.iso == nil && kept.exposureDuration == nil && kept.lensPosition == 0.2 && kept.focusMode == .locked)
        kept = try set("focusMode=auto", "whiteBalance=5000K").over(kept)
        #expect(kept.lensPosition == nil && kept.whiteBalanceMode == .locked)
        #expect(kept.exposureMode == .continuousAutoExposure, "what was not named stays")
        kept = try set("whiteBalanceMode=auto").over(kept)
        #expect(kept.whiteBalance == nil && kept.problem == nil)
    }

    @Test("keeps what an automatic found once")
    func settled() throws {
        var current = try CameraSettings(words: ["exposureDuration=1/60", "iso=320", "lensPosition=0.4"])
        current.whiteBalance = .temperatureAndTint(TemperatureAndTint(temperature: 4300))
        let once = try CameraSettings(
            words: ["exposureMode=autoExpose", "focusMode=autoFocus", "whiteBalanceMode=autoWhiteBalance"])
        let settled = once.settled(as: current)
        #expect(settled.exposureMode == .locked && settled.iso == 320 && settled.lensPosition == 0.4)
        #expect(settled.whiteBalance == current.whiteBalance && settled.whiteBalanceMode == .locked)
        #expect(settled.problem == nil)
        let automatic = try CameraSettings(words: ["exposureMode=auto"])
        #expect(automatic.settled(as: current) == automatic)
        (current.exposureMode, current.gain) = (.continuousAutoExposure, 12)
        let byHand = current.byHand(choosesGain: false)
        #expect(byHand.iso == nil && byHand.lensPosition == 0.4 && byHand.gain == 12)
        #expect(current.byHand(choosesGain: true).gain == nil)
    }
}
