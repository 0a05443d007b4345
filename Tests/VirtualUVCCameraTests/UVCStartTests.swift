import PhotoCapture
import Testing
import VirtualUVCCamera

@Suite(
    "A USB camera through uvcvideo, of which nobody knows when it exposes",
    .enabled(if: UVCRig.program != nil, "runs in the guest: deploy/guest"), .serialized, .timeLimit(.minutes(5)))
struct UVCStartTests {
    @Test("whose pictures come late and unevenly has each start within what it says", arguments: [(4, 30), (60, 100)])
    func transport(latency: Int, jitter: Int) async throws {
        let rig = try await UVCRig(
            serial: "LATE-\(latency)",
            options: ["--latency", "\(latency)", "--jitter", "\(jitter)"], framesPerSecond: 15)
        for _ in 1...3 {
            let photos = try readPhotos(try await rig.events(.burst(9)))
            #expect(photos.count == 9)
            for photo in photos { try expectStart(photo) }
        }
    }

    @Test(
        "whose clock is said to stamp what it does has each start within what the bus leaves open",
        arguments: [
            // Of a frame of 100 ms a bulk transfer is a seventh; half of that and of the rest, and as much again where the
            // line between the clocks is carried on.
            ("exposure-start", .startOfExposure, 25_000_000),
            // A camera may clamp an exposure, to anything that a frame has room for.
            ("exposure-end", .endOfExposure, 75_000_000),
        ] as [(String, DeviceStamp.Moment, Int64)])
    func clock(_ clock: String, _ moment: DeviceStamp.Moment, uncertainties: Int64) async throws {
        let rig = try await UVCRig(
            serial: clock.uppercased(),
            options: ["--latency", "4", "--jitter", "30", "--clock", clock], presentationTime: moment)
        try await rig.device.learnControls()
        var (known, sources): (Int, [String]) = (0, [])
        for _ in 1...3 {
            let photos = try readPhotos(try await rig.events(manualBracket([2, 30, 1, 20, 2, 30, 1, 20])))
            #expect(photos.count == 8)
            for photo in photos where photo.record.error == nil {
                let source = try #require(photo.record.exposureStart?.source)
                try expectStart(photo, source)
                let uncertainty = try #require(photo.record.exposureStart?.uncertaintyNanoseconds)
                sources.append("\(source) ±\(uncertainty / 1_000_000) ms")
                if source == .deviceClock, uncertainty <= uncertainties { known += 1 }
            }
        }
        // Where the emulated machine holds up headers, a frame's arrival has to do: how many depends on who else has the
        // machine's cores, and a clock that is not used at all gives none.
        #expect(known >= 3, "\(known) of 24: \(sources)")
    }

    @Test("whose clock stands or says anything is believed by its arrivals", arguments: ["frozen", "nonsense"])
    func noClock(_ clock: String) async throws {
        let rig = try await UVCRig(
            serial: clock.uppercased(), options: ["--clock", clock],
            presentationTime: .startOfExposure)
        for _ in 1...3 {
            for photo in try readPhotos(try await rig.events(.burst(9))) { try expectStart(photo) }
        }
    }
}
