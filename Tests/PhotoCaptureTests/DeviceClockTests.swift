import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Testing

@Suite("A camera's own clock")
struct DeviceClockTests {
    /// A camera whose crystal is off, and a bus that is late by a little, and now and then by much.
    private struct Bus {
        var random: SplitMix64
        let rate: Double
        let start: Int64
        let jitter: Int64

        init(seed: UInt64, ppm: Double, jitter: Int64, megahertz: Double = 48) {
            random = SplitMix64(state: seed)
            rate = megahertz / 1000 * (1 + ppm * 1e-6)
            start = Int64(UInt32.max) - Int64(3e9 * rate)
            self.jitter = jitter
        }

        func ticks(at time: Int64) -> UInt32 { UInt32(truncatingIfNeeded: start + Int64(Double(time) * rate)) }

        mutating func headers(of time: Int64) -> [(clock: UInt32, receivedAt: Int64)] {
            (0..<3).map { packet in
                let made = time + Int64(packet) * 2_000_000
                let late = Int.random(in: 0..<8, using: &random) == 0 ? jitter : jitter / 10
                return (ticks(at: made), made + 150_000 + Int64.random(in: 0...late, using: &random))
            }
        }
    }

    @Test(
        "is brought onto the board's within what it says, over wraps, drift and a late bus",
        arguments: [(0.0, 1_000_000), (80, 4_000_000), (-120, 30_000_000)] as [(Double, Int64)], [12.0, 48])
    func bus(_ camera: (ppm: Double, jitter: Int64), megahertz: Double) {
        var bus = Bus(seed: 7, ppm: camera.ppm, jitter: camera.jitter, megahertz: megahertz)
        var clock = DeviceClock(leastTransport: 2_000_000)
        var (told, vague, outside) = (0, 0, 0)
        for frame in 0..<6000 {
            let time = Int64(frame) * 33_333_333
            clock.note(bus.headers(of: time))
            let start = time - 25_000_000
            guard let reading = clock.time(of: bus.ticks(at: start)) else { continue }
            told += 1
            if abs(reading.time.nanoseconds - start) > reading.uncertaintyNanoseconds { outside += 1 }
            // Most of the time; a frame whose headers were all held up is known less well by that.
            if reading.uncertaintyNanoseconds > 2_000_000 { vague += 1 }
        }
        #expect(told > 5800 && vague < 1500 && outside <= 6, "\(told) told, \(vague) vaguely, \(outside) outside")
    }

    @Test("that stands, or says anything, is none")
    func nonsense() {
        var (bus, standing, random) = (
            Bus(seed: 1, ppm: 0, jitter: 1_000_000), DeviceClock(leastTransport: 2_000_000),
            DeviceClock(leastTransport: 2_000_000)
        )
        for frame in 0..<600 {
            let time = Int64(frame) * 33_333_333
            let headers = bus.headers(of: time)
            standing.note(headers.map { (clock: 77, receivedAt: $0.receivedAt) })
            random.note(
                headers.map { (clock: UInt32.random(in: 0 ... .max, using: &bus.random), receivedAt: $0.receivedAt) })
            #expect(standing.time(of: 77) == nil && random.time(of: 77) == nil)
        }
    }

    @Test("is known anew after a pause in which it may have wrapped")
    func pause() {
        var (bus, clock) = (Bus(seed: 2, ppm: 50, jitter: 1_000_000), DeviceClock(leastTransport: 2_000_000))
        for frame in 0..<100 { clock.note(bus.headers(of: Int64(frame) * 33_333_333)) }
        #expect(clock.time(of: bus.ticks(at: 3_300_000_000)) != nil)
        let later: Int64 = 200_000_000_000
        clock.note(bus.headers(of: later))
        #expect(clock.time(of: bus.ticks(at: later)) == nil)
        for frame in 1..<100 { clock.note(bus.headers(of: later + Int64(frame) * 33_333_333)) }
        let reading = clock.time(of: bus.ticks(at: later + 3_000_000_000))
        #expect(abs((reading?.time.nanoseconds ?? 0) - later - 3_000_000_000) <= reading?.uncertaintyNanoseconds ?? 0)
    }

    @Test(
        "that leaps, or stands still for a while, is never told more exactly than it is known",
        arguments: [-60, -7, -5, -3, -2, -1, 1, 2, 3, 5, 60])
    func leap(milliseconds: Int64) {
        var (bus, clock) = (Bus(seed: 3, ppm: 50, jitter: 1_000_000), DeviceClock(leastTransport: 2_000_000))
        let leap = UInt32(truncatingIfNeeded: milliseconds * 48_000)
        var (told, outside) = (0, 0)
        for frame in 0..<1500 {
            let time = Int64(frame) * 33_333_333
            let shift = frame < 650 ? 0 : leap
            clock.note(bus.headers(of: time).map { ($0.clock &+ shift, $0.receivedAt) })
            guard let reading = clock.time(of: bus.ticks(at: time) &+ shift) else { continue }
            told += 1
            if abs(reading.time.nanoseconds - time) > reading.uncertaintyNanoseconds { outside += 1 }
        }
        #expect(outside == 0 && told > 700, "\(outside) of \(told)")
    }
}
