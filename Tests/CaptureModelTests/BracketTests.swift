import CaptureModel
import Testing

@Suite("A bracket")
struct BracketTests {
    @Test("without a step is refused")
    func empty() {
        #expect(throws: CaptureSettingsError.self) { try Bracket([]) }
    }

    @Test("of mixed kinds is refused, and the step is named")
    func mixed() throws {
        let error = #expect(throws: CaptureSettingsError.self) {
            try Bracket([.autoExposure(exposureTargetBias: .value(0)), .burst])
        }
        #expect(error?.code == .mixedBracket)
        #expect(error?.message.contains("Step 2") == true)
    }

    @Test(
        "with a number that no camera could mean is refused",
        arguments: [
            BracketedStillImageSettings.autoExposure(exposureTargetBias: .value(.nan)),
            .manualExposure(exposureDuration: .value(ExposureDuration(nanoseconds: 0)), iso: .current),
            .manualExposure(exposureDuration: .current, iso: .value(-100)),
        ])
    func nonsense(step: BracketedStillImageSettings) {
        #expect(throws: CaptureSettingsError.self) { try Bracket([step]) }
    }

    @Test("of a huge burst is refused before it becomes an array")
    func hugeBurst() {
        #expect(throws: CaptureSettingsError.self) { try Bracket.burst(.max) }
    }

    @Test("owes one photo for each exposure and format")
    func expectedCount() throws {
        let settings = PhotoBracketSettings(formats: [.jpeg, .dng], bracketedSettings: try .burst(3))
        #expect(settings.expectedPhotoCount == 6)
    }
}

@Suite("Ids")
struct UniqueIDTests {
    @Test("strictly increase when the wall clock stands still or steps back")
    func monotonic() {
        var allocator = UniqueIDAllocator()
        let first = allocator.next(at: 1_000)
        let second = allocator.next(at: 1_000)
        let third = allocator.next(at: 10)
        #expect(first < second && second < third)
    }

    @Test("rise above one that a node remembers")
    func observed() {
        var allocator = UniqueIDAllocator()
        allocator.observe(UniqueID(rawValue: 5_000))
        #expect(allocator.next(at: 10).rawValue == 5_001)
    }

    @Test("of settings differ within a process")
    func settings() {
        #expect(PhotoSettings().uniqueID < PhotoSettings().uniqueID)
    }
}

@Suite("An exposure duration")
struct ExposureDurationTests {
    @Test(
        "is read as photographers write it",
        arguments: [
            ("1/250", 4_000_000), ("1/250s", 4_000_000), ("0.5", 500_000_000), ("2 s", 2_000_000_000),
            ("4ms", 4_000_000), ("250us", 250_000),
        ])
    func parses(text: String, nanoseconds: Int64) {
        #expect(ExposureDuration(parsing: text)?.nanoseconds == nanoseconds)
    }

    @Test("that is none is not read", arguments: ["", "1/0", "-1", "0", "fast", "1/", "nan", "1e99", "1/2/3"])
    func refuses(text: String) {
        #expect(ExposureDuration(parsing: text) == nil)
    }

    @Test("reads as a fraction below a quarter of a second")
    func describes() {
        #expect(ExposureDuration(nanoseconds: 4_000_000).description == "1/250 s")
        #expect(ExposureDuration(nanoseconds: 500_000_000).description == "0.5 s")
    }
}

@Suite("Capabilities")
struct CapabilitiesTests {
    let camera = CameraCapabilities(
        cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
        dimensions: Dimensions(width: 640, height: 480), frameDurationNanoseconds: 33_333_333, formats: [.jpeg],
        exposureDurationRange: ExposureDuration(nanoseconds: 100_000)...ExposureDuration(nanoseconds: 30_000_000),
        isoRange: nil, exposureTargetBiasRange: -2...2, maxBracketedCapturePhotoCount: 3,
        controlDelays: ControlDelays(2),
        limitations: ["There is no ISO control, so ISO cannot be set."])

    func codes(_ steps: [BracketedStillImageSettings], _ formats: [PhotoFormat] = [.jpeg]) throws
        -> [CaptureSettingsError.Code]
    {
        camera.violations(bracket: try Bracket(steps), formats: formats).map(\.code)
    }

    @Test("refuse each thing that the camera lacks, and only that")
    func violations() throws {
        #expect(try codes([.autoExposure(exposureTargetBias: .value(2))]) == [])
        #expect(try codes([.autoExposure(exposureTargetBias: .value(2.1))]) == [.exposureTargetBiasOutOfRange])
        #expect(try codes(Array(repeating: .burst, count: 4)) == [.tooManyBracketedPhotos])
        #expect(try codes([.burst], [.jpeg, .dng]) == [.formatUnavailable])
        #expect(try codes([.burst], []) == [.noFormat])
        let slow = ExposureDuration(seconds: 1)
        #expect(
            try codes([.manualExposure(exposureDuration: .value(slow), iso: .value(100))])
                == [.exposureDurationOutOfRange, .bracketUnsupported])
        #expect(try codes([.manualExposure(exposureDuration: .current, iso: .current)]) == [])
    }

    @Test("say the camera's own reason")
    func reason() throws {
        let found = camera.violations(
            bracket: try Bracket([.manualExposure(exposureDuration: .current, iso: .value(100))]), formats: [.jpeg])
        #expect(found.first?.message.contains("There is no ISO control") == true)
    }
}
