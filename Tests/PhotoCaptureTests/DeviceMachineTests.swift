import CaptureModel
import Testing

@testable import PhotoCapture

/// A machine and a driver that takes everything at once.
private struct Bench {
    var machine: DeviceMachine
    var next: UInt32 = 0
    var stamp = FrameStamp.startOfExposure
    /// What was written, and after which frame.
    var written: [(values: ControlValues, after: UInt32?)] = []
    var automatics: [CameraAutomatic] = []
    var completed: [Int] = []
    var failed: [Int] = []
    var refusal: CaptureError?

    init(_ configure: (inout CameraCapabilities) -> Void = { _ in }) {
        var camera = CameraCapabilities(
            cameraID: "bench:1", modelID: "Bench", manufacturer: "Volley", serialNumber: "1", pixelFormat: "GREY",
            dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: 10_000_000, formats: [.jpeg],
            exposureDurationRange: ExposureDuration(nanoseconds: 100_000)...ExposureDuration(nanoseconds: 10_000_000),
            isoRange: 100...1600, maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
        camera.canSetLensPosition = true
        camera.hasAutoFocus = true
        configure(&camera)
        let profile = CameraProfile(
            modelID: camera.modelID, pixelFormat: camera.pixelFormat, delays: ControlDelays(2), source: .known,
            response: nil)
        machine = DeviceMachine(camera, profile: profile)
        _ = machine.willStart()
        var values = ControlValues(Exposure(duration: ExposureDuration(nanoseconds: 2_000_000), iso: 100))
        values.lensPosition = 0.5
        machine.didStart(camera, values)
        machine.isLocked = true
        machine.properties.exposureMode = .locked
        machine.resumeMetering(from: values.exposure)
        deliver(4)
        (written, completed) = ([], [])
    }

    mutating func deliver(_ count: Int = 1, isBehind: Bool = false) {
        for _ in 0..<count {
            _ = arrive(isBehind: isBehind)
            carryOut()
        }
    }

    /// A frame, before the driver is told what follows.
    mutating func arrive(isBehind: Bool = false) -> DeviceMachine.Arrival {
        defer { next += 1 }
        let start = MonotonicTime(nanoseconds: Int64(next) * 10_000_000)
        return machine.frame(
            FrameInfo(sequence: next, timestamp: start, stamp: stamp, isBehind: isBehind))
    }

    mutating func carryOut() {
        while true {
            let effects = machine.takeEffects()
            guard !effects.isEmpty else { return }
            for effect in effects { carryOut(effect) }
        }
    }

    private mutating func carryOut(_ effect: DeviceMachine.Effect) {
        switch effect {
        case .tell(let order, let purpose, let frame):
            if let refusal { return machine.refused(order, purpose, refusal) }
            if let automatic = order.automatic { automatics.append(automatic) }
            if order.values != ControlValues() { written.append((order.values, frame)) }
            let landed = machine.wrote(order.values, order.values, for: purpose, after: frame)
            machine.told(order, purpose, landed, after: frame, now: MonotonicTime(nanoseconds: 0))
        case .setAutomatic(let automatic): automatics.append(automatic)
        case .readAutomatics: machine.noteAutomatics(lens(0.7))
        case .complete(let id, _): completed.append(id)
        case .fail(let id, _): failed.append(id)
        case .setFrameDuration, .askFocus, .keep, .fit, .calibrated: break
        }
    }

    /// A capture writes for a step, if it still has the controls.
    mutating func write(_ values: ControlValues) {
        guard machine.willWrite(values, for: .capture) else { return }
        written.append((values, next - 1))
        _ = machine.wrote(values, values, for: .capture, after: next - 1)
    }

    mutating func hold() {
        machine.reserve(isStabilized: false)
        machine.takeHold(nil)
        carryOut()
    }
}

private func exposure(_ milliseconds: Double) -> ControlValues {
    var values = ControlValues()
    values.exposureDuration = ExposureDuration(nanoseconds: Int64(milliseconds * 1_000_000))
    return values
}

private func lens(_ position: Double) -> ControlValues {
    var values = ControlValues()
    values.lensPosition = position
    return values
}

@Suite("What a device decides")
struct DeviceMachineTests {
    @Test("an order waits for a frame that is not late, and is over with the frame on which it acts")
    func order() throws {
        var bench = Bench()
        let id = bench.machine.give(.init(values: exposure(5)))
        bench.deliver(isBehind: true)
        #expect(bench.written.isEmpty)
        bench.deliver()
        #expect(bench.written.map(\.after) == [5])
        bench.deliver()
        #expect(bench.completed.isEmpty)
        bench.deliver()
        #expect(bench.completed == [id] && bench.machine.properties.exposure.duration?.seconds == 0.005)
    }

    @Test("observers hear where the lens is, also while the exposure rests, and of another program's lens")
    func lensProperty() throws {
        var bench = Bench()
        _ = try bench.machine.lockFocus(0.2)
        bench.deliver(3)
        #expect(bench.machine.properties.lensPosition == 0.2)
        bench.machine.properties.lensPosition = 0.9
        bench.deliver(3)
        #expect(bench.machine.properties.lensPosition == 0.9)
    }

    @Test("orders wait for a capture's end, which puts back what was written over, and nothing else")
    func held() {
        var bench = Bench()
        bench.hold()
        let id = bench.machine.give(.init(values: lens(0.2)))
        bench.write(exposure(8))
        bench.deliver(3)
        #expect(bench.written.count == 1)
        bench.machine.release()
        #expect(bench.machine.chosen.exposureDuration?.seconds == 0.002, "told before it is written")
        bench.deliver(4)
        #expect(bench.written.map(\.values) == [exposure(8), exposure(2), lens(0.2)])
        #expect(bench.completed == [id] && !bench.machine.isHeld)
    }

    @Test("what a capture wrote over is put back after a frame that is late as well, before the next capture begins")
    func putBackFirst() {
        var bench = Bench()
        bench.hold()
        bench.write(exposure(8))
        bench.machine.release()
        bench.machine.reserve(isStabilized: false)
        bench.deliver(isBehind: true)
        bench.machine.takeHold(nil)
        #expect(bench.written.map(\.values) == [exposure(8), exposure(2)])
        #expect(bench.machine.chosen.exposureDuration?.seconds == 0.002)
    }

    @Test("a capture that was given up writes no more, and one that was stopped leaves nothing for the next start")
    func givenUp() {
        var bench = Bench()
        bench.hold()
        bench.write(exposure(8))
        bench.machine.release()
        bench.write(exposure(4))
        #expect(bench.written.count == 1)

        bench.deliver()
        bench.hold()
        let mayWrite = bench.machine.willWrite(exposure(8), for: .capture)
        #expect(mayWrite)
        bench.machine.stop(CaptureError(.sessionNotRunning, "stopped"))
        // The driver answers only now.
        _ = bench.machine.wrote(exposure(8), exposure(8), for: .capture, after: bench.next - 1)
        let wanted = bench.machine.willStart()
        #expect(wanted.exposureDuration?.seconds == 0.002)
    }

    @Test("a refused order leaves the mode as it was; one that is refused while it is put back is tried again")
    func refused() throws {
        var bench = Bench()
        let id = try #require(
            try bench.machine.setExposureModeCustom(duration: ExposureDuration(nanoseconds: 4_000_000), iso: nil))
        #expect(bench.machine.properties.exposureMode == .custom)
        bench.refusal = CaptureError(.deviceFailed, "busy")
        bench.deliver()
        #expect(bench.failed == [id] && bench.machine.properties.exposureMode == .locked)

        bench.hold()
        bench.write(exposure(8))
        bench.machine.release()
        bench.deliver()
        bench.refusal = nil
        bench.deliver()
        #expect(bench.written.last?.values == exposure(2))
    }

    @Test("what was set survives a start that fails, and what is set during one")
    func failedStart() {
        var bench = Bench()
        _ = bench.machine.give(.init(values: exposure(5)))
        bench.deliver(4)
        bench.machine.stop(CaptureError(.deviceWasDisconnected, "unplugged"), isFailure: true)
        #expect(bench.machine.willStart().exposureDuration?.seconds == 0.005)
        let wanted = bench.machine.willStart()
        #expect(wanted.exposureDuration?.seconds == 0.005, "the first attempt failed")
        _ = bench.machine.give(.init(values: exposure(7)))
        bench.carryOut()
        bench.machine.didStart(bench.machine.camera, wanted)
        bench.deliver(1)
        #expect(bench.written.last?.values.exposureDuration?.seconds == 0.007)
    }

    @Test("a frame is not steady before what a capture wrote over is in force again, and whoever asks is told of that")
    func unsteady() {
        var bench = Bench()
        bench.hold()
        bench.write(exposure(8))
        bench.deliver(4)
        bench.machine.release()
        var steady: [Bool] = []
        for _ in 0..<4 {
            steady.append(bench.arrive().isSteady)
            #expect(bench.machine.chosen.exposureDuration?.seconds == 0.002, "before the driver has answered")
            bench.carryOut()
        }
        #expect(steady == [false, false, false, true])
    }

    @Test("a frame of a calibration that ended while its picture was read is not metered")
    func lateCalibrationFrame() {
        var bench = Bench()
        bench.machine.properties.exposureMode = .continuousAutoExposure
        bench.machine.resumeMetering(from: bench.machine.chosen.exposure)
        bench.deliver(4)
        let arrival = bench.arrive()
        let calibrating = DeviceMachine.Arrival(
            frame: arrival.frame, start: arrival.start, values: arrival.values, isSteady: true, isHeld: false,
            isCalibrating: true)
        let black = LuminanceGrid(width: 64, height: 48) { _, _ in 0 }
        bench.machine.saw(black, of: calibrating)
        #expect(bench.machine.takeEffects().isEmpty && bench.machine.meter.newest == nil)
        bench.machine.saw(black, of: arrival)
        #expect(bench.machine.takeEffects().count == 1, "as one of the automatic's own is")
    }

    @Test("automatics rest while a capture lasts, and go on after it; what they chose is what is locked")
    func automatics() throws {
        var bench = Bench()
        bench.hold()
        bench.machine.release()
        bench.deliver()
        #expect(bench.automatics == [.focus(isOn: false, .none), .focus(isOn: true, .none)])
        _ = try bench.machine.setFocusMode(.locked)
        bench.deliver(3)
        #expect(bench.machine.timeline.written.lensPosition == 0.7)
    }

    @Test("the white balance is adjusting while what the automatic chooses moves")
    func whiteBalance() throws {
        var bench = Bench { $0.whiteBalance.hasAutomatic = true }
        var seen: [Bool] = []
        for temperature in [4000.0, 4500, 4800, 4800] {
            var values = ControlValues()
            values.whiteBalance = .temperatureAndTint(TemperatureAndTint(temperature: temperature, tint: 0))
            bench.machine.changed(values)
            seen.append(bench.machine.properties.isAdjustingWhiteBalance)
        }
        #expect(seen == [false, true, true, false])
        _ = try bench.machine.setWhiteBalanceMode(.locked)
        bench.deliver(4)
        #expect(!bench.machine.properties.isAdjustingWhiteBalance)
    }

    @Test("how well an exposure's start is known is said before it, by what the newest frames' stamps tell")
    func startUncertainty() {
        var bench = Bench()
        #expect(bench.machine.nextStart(nil)?.uncertaintyNanoseconds == 1000)
        bench.stamp = .arrival
        bench.deliver()
        // The exposure, and four frames and 40 ms of transport, either way by half.
        #expect(bench.machine.nextStart(ExposureDuration(nanoseconds: 8_000_000))?.uncertaintyNanoseconds == 44_000_000)
        #expect(bench.machine.nextStart(nil)?.uncertaintyNanoseconds == 41_000_000)
    }

    /// Starts are known to 3 ms against the other cameras, for exposures of 2 ms.
    private let lampOfArrivals = LampMeasurement(
        capture: UniqueID(rawValue: 1), uncertaintyNanoseconds: 3_000_000,
        referenceUncertaintyNanoseconds: 50_000_000, exposureDuration: ExposureDuration(nanoseconds: 2_000_000),
        source: .arrival)

    @Test("what a lamp showed of its starts is kept, and counts while the stamps and the format are those it saw")
    func lamp() throws {
        var bench = Bench()
        bench.stamp = .arrival
        bench.deliver(10)
        let measured = lampOfArrivals
        _ = bench.machine.moveStart(by: -7_000_000, measured)
        #expect(bench.machine.nextStart(nil)?.known(within: 0).best == 3_000_000)
        let frame = bench.arrive().frame
        #expect(frame.correction == -7_000_000 && frame.lamp == measured && frame.lateness == 0)
        bench.stamp = .endOfFrame
        #expect(bench.arrive().frame.lamp == nil)
        // Of an end of frame 5 ms are open, and the 7 ms that were taken off.
        #expect(bench.machine.nextStart(nil)?.uncertaintyNanoseconds == 12_000_000)
        bench.stamp = .arrival
        bench.deliver()
        _ = bench.machine.moveStart(by: 1_000_000, nil)
        #expect(bench.machine.nextStart(nil)?.uncertaintyNanoseconds == 47_000_000)
    }

    @Test("what a lamp showed of the camera's own clock holds for that alone, and frames keep the pace of arrivals")
    func deviceClock() throws {
        var bench = Bench()
        bench.stamp = .arrival
        bench.deliver(10)
        var measured = lampOfArrivals
        measured.source = .deviceClock
        let isKept = bench.machine.moveStart(by: 1_000_000, measured)
        #expect(!isKept, "its clock has not told anything yet")
        measured.source = .arrival
        _ = bench.machine.moveStart(by: -7_000_000, measured)
        bench.deliver()
        let arrival = MonotonicTime(nanoseconds: Int64(bench.next + 1) * 10_000_000)
        let pace = bench.arrive().start
        bench.stamp = .deviceClock(
            DeviceStamp(.startOfExposure, uncertaintyNanoseconds: 1_000_000, arrival: arrival))
        let flipped = bench.arrive()
        #expect(flipped.frame.correction == nil && flipped.frame.lamp == nil)
        #expect(flipped.start - pace == 10_000_000, "its arrival is corrected as those before it were")
        #expect(bench.machine.nextStart(nil)?.uncertaintyNanoseconds == 1_000_000)
        measured.source = .deviceClock
        // What arrivals were off by says nothing of it.
        _ = bench.machine.moveStart(by: 2_000_000, measured)
        _ = bench.machine.moveStart(by: 3_000_000, measured)
        let lit = bench.arrive()
        #expect(lit.frame.correction == 5_000_000 && lit.frame.lamp == measured && lit.frame.lateness == 0)
        #expect(bench.machine.nextStart(nil)?.relative?.nanoseconds == 5_000_000)
        // Nor does what one moment was off by of another one.
        bench.stamp = .deviceClock(DeviceStamp(.endOfExposure, uncertaintyNanoseconds: 1_000_000, arrival: arrival))
        #expect(bench.arrive().frame.correction == nil)
        bench.stamp = .arrival
        #expect(bench.arrive().frame.correction == -7_000_000)
    }

    @Test("without frames an order is carried out at once; a stop ends those that wait")
    func stopped() {
        var bench = Bench()
        let waiting = bench.machine.give(.init(values: exposure(5)))
        bench.machine.stop(CaptureError(.sessionNotRunning, "stopped"))
        bench.carryOut()
        #expect(bench.failed == [waiting])
        let direct = bench.machine.give(.init(values: exposure(6)))
        bench.carryOut()
        let wanted = bench.machine.willStart()
        #expect(bench.completed == [direct] && wanted.exposureDuration?.seconds == 0.006)
    }

    @Test("frames are counted, with those that are missing or damaged, over a stream that starts anew")
    func counts() {
        var bench = Bench()
        let before = bench.machine.counts
        #expect(before.losses == 0 && before.frames == 4 && before.missingFrames == 0)
        bench.next += 3
        bench.deliver(2)
        let time = MonotonicTime(nanoseconds: 200_000_000)
        _ = bench.machine.frame(
            FrameInfo(sequence: bench.next, timestamp: time, stamp: .startOfExposure, isError: true))
        // A stream that is started anew on purpose, as to bring its frames onto the grid, is no loss.
        bench.machine.stop(CaptureError(.sessionNotRunning, "stopped"))
        _ = bench.machine.willStart()
        bench.machine.stop(CaptureError(.deviceWasDisconnected, "unplugged"), isFailure: true)
        _ = bench.machine.willStart()
        bench.next = 0
        bench.deliver()
        let after = bench.machine.counts
        #expect(after.losses == 1 && after.frames == 8 && after.missingFrames == 3 && after.damagedFrames == 1)
    }
}
