import CaptureModel
import PhotoCapture
import Testing

@Suite("A frame's stamp")
struct FrameInfoTests {
    private let exposure = ExposureDuration(nanoseconds: 4_000_000)

    private func start(
        _ source: TimestampSource, _ duration: ExposureDuration?, readout: Int64?
    ) -> ExposureStart {
        FrameInfo(sequence: 1, timestamp: MonotonicTime(nanoseconds: 100_000_000), timestampSource: source)
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
}
