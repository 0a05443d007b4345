import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Testing

/// A sensor that counts lines of its own clock, in virtual time.
private struct LineSensor {
    let line: Int64
    /// Of its clock against the board's.
    let drift: Double
    let delay: Int
    let grid: LocalGrid
    var lock: PhaseLock
    var start: Double
    var number: UInt32 = 0
    var duration: Int64
    var landings: [UInt32: Int64] = [:]
    var random: SplitMix64
    /// How late each frame began.
    var errors: [Double] = []

    init(line: Int64, drift: Double, delay: Int, guess: Int? = nil, phase: Double, seed: UInt64 = 1) {
        let frame = Int64(33_333_333)
        (self.line, self.drift, self.delay) = (line, drift, delay)
        // A grid leaves the sensor room to be quicker.
        grid = LocalGrid(origin: MonotonicTime(nanoseconds: 5_000_000_000), period: Double(frame) * 1.002)
        duration = frame / line * line
        lock = PhaseLock(
            PhaseLock.Sensor(durations: frame / line * line...10 * frame, line: line, delay: guess ?? delay),
            frameDuration: duration)
        start = 9e9 + phase * Double(frame)
        random = SplitMix64(state: seed)
    }

    mutating func run(_ frames: Int, isDropped: (Int) -> Bool = { _ in false }) {
        for index in 0..<frames {
            if let landed = landings.removeValue(forKey: number) { duration = landed }
            errors.append(grid.wrapped(start - Double(grid.origin.nanoseconds)))
            if !isDropped(index) {
                // Drivers stamp to the microsecond.
                let stamp = Int64(start) + Int64.random(in: -500...500, using: &random)
                if let next = lock.frame(number, start: MonotonicTime(nanoseconds: stamp), grid) {
                    landings[number &+ UInt32(delay)] = next
                }
            }
            start += Double(duration) * (1 + drift)
            number &+= 1
        }
    }

    /// The mean of eight frames in a row, at its worst.
    func worstMean(from first: Int) -> Double {
        var worst = 0.0
        var sum = errors[first..<first + 8].reduce(0, +)
        for index in first + 8..<errors.count {
            worst = max(worst, abs(sum / 8))
            sum += errors[index] - errors[index - 8]
        }
        return worst
    }
}

@Suite("The phase lock")
struct PhaseLockTests {
    @Test(
        "has any sensor on the grid within six frames, and keeps it there for an hour to a quarter of a line",
        arguments: [(10_000, 50e-6, 2), (30_000, -50e-6, 3), (20_000, 0.3e-6, 2), (29_600, 7e-6, 3)]
            as [(Int64, Double, Int)],
        [-0.49, -0.1, 0.001, 0.3, 0.5])
    func locks(sensor: (line: Int64, drift: Double, delay: Int), phase: Double) {
        var camera = LineSensor(line: sensor.line, drift: sensor.drift, delay: sensor.delay, phase: phase)
        camera.run(108_000)
        for error in camera.errors.dropFirst(6) { #expect(abs(error) <= Double(sensor.line) * 1.05) }
        #expect(camera.worstMean(from: 80) <= Double(sensor.line) / 4)
        #expect(camera.lock.isLocked)
    }

    @Test(
        "finds out how many frames ahead this sensor is told",
        arguments: [1, 2, 3, 5, 8, 12], [1, 2, 8])
    func delays(delay: Int, guess: Int) {
        var camera = LineSensor(line: 20_000, drift: 30e-6, delay: delay, guess: guess, phase: 0.4)
        camera.run(2_000)
        for error in camera.errors.dropFirst(6 * delay + 6) { #expect(abs(error) <= 40_000) }
    }

    @Test("is not thrown off by lost frames")
    func drops() {
        var camera = LineSensor(line: 20_000, drift: 30e-6, delay: 3, phase: 0.4)
        camera.run(5_000) { $0 % 37 == 5 || (1_000..<1_010).contains($0) }
        for error in camera.errors.dropFirst(12) { #expect(abs(error) <= 40_000) }
    }

    @Test("leaves the frames as they are while others count on them")
    func fine() {
        let grid = LocalGrid(origin: MonotonicTime(nanoseconds: 0), period: 10_000_000)
        var lock = PhaseLock(
            PhaseLock.Sensor(durations: 10_000_000...100_000_000, line: 20_000, delay: 2), frameDuration: 10_000_000)
        #expect(lock.frame(0, start: MonotonicTime(nanoseconds: 3_000_000), grid, isFine: true) == nil)
        #expect(lock.frame(1, start: MonotonicTime(nanoseconds: 13_000_000), grid) != nil)
    }
}
