import CaptureModel
import PhotoCapture
import Testing

@Suite("A frame's stamp")
struct FrameInfoTests {
    private let exposure = ExposureDuration(nanoseconds: 4_000_000)

    private func start(
        _ stamp: FrameStamp, _ duration: ExposureDuration?, readout: Int64?
    ) -> ExposureStart {
        FrameInfo(sequence: 1, timestamp: MonotonicTime(nanoseconds: 100_000_000), stamp: stamp)
            .exposureStart(duration: duration, frameDurationNanoseconds: 30_000_000, readoutNanoseconds: readout)
    }

    @Test("of the start of exposure says when it began, and how long after the first line the last one did")
    func startOfExposure() {
        let start = start(.startOfExposure, exposure, readout: 12_000_000)
        #expect(start.time.nanoseconds == 100_000_000 && start.uncertaintyNanoseconds == 1000)
        #expect(start.readoutNanoseconds == 12_000_000)
    }

    @Test("of the frame's end leaves open what the readout took, unless the camera tells")
    func endOfFrame() {
        let unknown = start(.endOfFrame, exposure, readout: nil)
        #expect(unknown.time.nanoseconds == 81_000_000 && unknown.uncertaintyNanoseconds == 15_000_000)
        let known = start(.endOfFrame, exposure, readout: 12_000_000)
        #expect(known.time.nanoseconds == 84_000_000 && known.uncertaintyNanoseconds == 1_000_000)
        // Nothing is known of the exposure: anything up to two frames before.
        let blind = start(.endOfFrame, nil, readout: 12_000_000)
        #expect(blind.time.nanoseconds == 70_000_000 && blind.uncertaintyNanoseconds == 30_000_000)
    }

    @Test("of the camera's own clock says when it began as well as that is known, by what it stamps")
    func deviceClock() {
        func start(_ moment: DeviceStamp.Moment, _ duration: ExposureDuration?) -> ExposureStart {
            self.start(
                .deviceClock(
                    DeviceStamp(
                        moment, uncertaintyNanoseconds: 500_000, arrival: MonotonicTime(nanoseconds: 150_000_000))),
                duration, readout: nil)
        }
        let begin = start(.startOfExposure, nil)
        #expect(begin.time.nanoseconds == 100_000_000 && begin.uncertaintyNanoseconds == 500_000)
        #expect(begin.source == .deviceClock)
        // A camera may have clamped what it was asked for.
        for asked in [exposure, nil] {
            let end = start(.endOfExposure, asked)
            #expect(end.time.nanoseconds == 85_000_000 && end.uncertaintyNanoseconds == 15_500_000)
        }
        let long = start(.endOfExposure, ExposureDuration(nanoseconds: 50_000_000))
        #expect(long.time.nanoseconds == 75_000_000 && long.uncertaintyNanoseconds == 25_500_000)
    }

    @Test("of an arrival holds every start from which a real camera's bytes came so late")
    func arrival() {
        // From the start to the arrival in ms, at a frame of so many: pupil-labs/pupil issue 152, ros-drivers/usb_cam
        // issue 75; and at once, as of a camera that sends its first packet when it begins to expose.
        for (frame, late) in [(33.3, 35.6), (33.3, 127.7), (8.3, 5.7), (33.3, 150), (33.3, 0), (8.3, 0)] {
            let start = FrameInfo(
                sequence: 1, timestamp: MonotonicTime(nanoseconds: 1_000_000_000), stamp: .arrival
            ).exposureStart(
                duration: exposure, frameDurationNanoseconds: Int64(frame * 1e6), readoutNanoseconds: nil)
            let truth = MonotonicTime(nanoseconds: 1_000_000_000 - Int64(late * 1e6))
            #expect(abs(start.time - truth) <= start.uncertaintyNanoseconds, "\(frame), \(late): \(start)")
        }
    }

    @Test("of an arrival has one pace, whatever was exposed for")
    func pace() {
        func pace(_ stamp: FrameStamp, _ milliseconds: Int64) -> MonotonicTime {
            FrameInfo(sequence: 1, timestamp: MonotonicTime(nanoseconds: 1_000_000_000), stamp: stamp).pace(
                duration: ExposureDuration(nanoseconds: milliseconds * 1_000_000),
                frameDurationNanoseconds: 33_000_000, readoutNanoseconds: nil)
        }
        #expect(pace(.arrival, 1) == pace(.arrival, 33))
        #expect(pace(.endOfFrame, 1) - pace(.endOfFrame, 33) == 32_000_000)
    }

    /// An arrival as a lamp has shown the camera's, 30 ms late, against one that is known to 5 ms by itself.
    private func lit(_ milliseconds: Int64, late: Int64 = 0) -> ExposureStart {
        var info = FrameInfo(
            sequence: 1, timestamp: MonotonicTime(nanoseconds: 1_000_000_000), stamp: .arrival)
        (info.correction, info.lateness) = (-30_000_000, late)
        info.lamp = LampMeasurement(
            capture: UniqueID(rawValue: 1), uncertaintyNanoseconds: 8_000_000,
            referenceUncertaintyNanoseconds: 5_000_000, exposureDuration: exposure, source: .arrival)
        return info.exposureStart(
            duration: ExposureDuration(nanoseconds: milliseconds * 1_000_000), frameDurationNanoseconds: 30_000_000,
            readoutNanoseconds: nil)
    }

    @Test("that a lamp has shown is known as well against the other cameras, and by itself as well as theirs")
    func lamp() {
        #expect(lit(4).relative == RelativeUncertainty(lamp: UniqueID(rawValue: 1), nanoseconds: 8_000_000))
        #expect(lit(4).uncertaintyNanoseconds == 13_000_000)
        // At 10 ms more the start may have stayed where it was, and the end too.
        #expect(lit(14).relative?.nanoseconds == 13_000_000)
        // Held up on its way.
        #expect(lit(4, late: 3_000_000).relative?.nanoseconds == 11_000_000)
    }

    @Test("that was corrected says so, and is known less well by as much where no lamp says how well")
    func correction() {
        var info = FrameInfo(
            sequence: 1, timestamp: MonotonicTime(nanoseconds: 100_000_000), stamp: .startOfExposure)
        info.correction = -5
        let start = info.exposureStart(
            duration: exposure, frameDurationNanoseconds: 30_000_000, readoutNanoseconds: nil)
        #expect(start.correctionNanoseconds == -5 && start.time.nanoseconds == 100_000_000)
        #expect(start.uncertaintyNanoseconds == 1005 && start.relative == nil)
    }

    @Test("is as late as the frames before it lead to expect, also over lost ones")
    func cadence() {
        var cadence = Cadence()
        func late(_ sequence: UInt32, by nanoseconds: Int64 = 0) -> Int64? {
            cadence.frame(
                sequence, MonotonicTime(nanoseconds: Int64(sequence) * 30_000_000 + nanoseconds), 30_000_000)
        }
        for sequence in UInt32(0)..<8 { #expect(late(sequence) == nil) }
        #expect(late(8) == 0 && late(11, by: 17_000_000) == 17_000_000 && late(12) == 0)
    }
}
