package import CaptureModel

/// Maps a camera's own clock to its board's, by the headers that the camera sends; pure.
///
/// Each header says what the camera's clock read when it was made, and is received later: a point above the line that
/// relates the two clocks.
///
/// ```
/// received |         .    .
///          |    .   .  ____/
///          |  . ____/ .         the line below all points that is nearest to them
///          | __/    .
///          +------------------- made, by the camera's clock
/// ```
///
/// That line is an edge of the points' lower hull, the one below their mean (S. B. Moon, P. Skelly, D. Towsley,
/// "Estimation and removal of clock skew from network delay measurements", INFOCOM 1999): no late header moves it. It
/// picks out the quickest headers of the first, middle and last third of the time; the line through the first and the
/// last reaches furthest, and the one between them shows whether the clock ran evenly. What no line shows is how long
/// the quickest header took; that has to be known about the bus. On the other side stands that no header is received
/// before it is made: an instant is later than the line says by no more than the newest header is, even where the clock
/// has fallen back since.
package struct DeviceClock: Sendable {
    /// A header: the camera's clock when it was made, and when it was received, in nanoseconds.
    package typealias Header = (clock: UInt32, receivedAt: Int64)

    private struct Probe {
        /// Unwrapped.
        let ticks: Int64
        let host: Int64
    }

    private struct Line {
        let low, high: Probe

        /// The time of an instant, from the line's beginning, in nanoseconds. A nonsensical clock can be anywhere.
        func host(_ ticks: Int64) -> Double {
            Double(ticks - low.ticks) * Double(high.host - low.host) / Double(high.ticks - low.ticks)
        }

        func delay(_ probe: Probe) -> Double { Double(probe.host - low.host) - host(probe.ticks) }
    }

    /// An instant of the camera's clock, mapped to the board's.
    package struct Reading: Hashable, Sendable {
        /// The middle of the interval in which the instant lies, on the board's clock.
        package let time: MonotonicTime
        /// Half of that interval.
        package let uncertaintyNanoseconds: Int64

        package init(time: MonotonicTime, uncertaintyNanoseconds: Int64) {
            (self.time, self.uncertaintyNanoseconds) = (time, uncertaintyNanoseconds)
        }
    }

    /// A header that takes longer than this, in nanoseconds, shows nothing about the clock at its time.
    private static let mostTransport = 8_000_000.0
    /// The number of probes kept, one for each frame.
    private static let mostProbes = 600
    /// With fewer probes, or over a shorter time, the rate is not known; in nanoseconds.
    private static let (fewestProbes, shortestSpan): (Int, Int64) = (20, 1_500_000_000)
    /// In a longer pause the clock may have wrapped; in nanoseconds.
    private static let longestPause = Int64.milliseconds(10_000)
    /// No frame is further from the first probe; in nanoseconds.
    private static let longest = Int64.seconds(3600)

    /// The most that the quickest header takes from being made to being received, in nanoseconds.
    private let leastTransport: Int64
    private var probes: [Probe] = []
    private var line: Line?
    /// By how much the newest frame's quickest header came later than the quickest of all; nil where that is too much.
    private var newestDelay: Double?

    /// - Parameter leastTransport: the most that the quickest header takes from being made to being received, in
    ///   nanoseconds.
    package init(leastTransport: Int64) {
        self.leastTransport = leastTransport
    }

    /// The headers of a frame, in the order of their reception.
    package mutating func note(_ headers: [Header]) {
        newestDelay = nil
        guard let first = headers.first else { return }
        if let last = probes.last, !(0...Self.longestPause).contains(first.receivedAt - last.host) {
            // It may have wrapped meanwhile.
            self = DeviceClock(leastTransport: leastTransport)
        }
        let reference = probes.last?.ticks ?? Int64(first.clock)
        let candidates = headers.map { Probe(ticks: Self.unwrapped($0.clock, near: reference), host: $0.receivedAt) }
        // The quickest of the frame's headers, as far as is known; else the newest.
        let best = line.flatMap { line in candidates.min { line.delay($0) < line.delay($1) } }
        guard let probe = best ?? candidates.last else { return }
        let delay = line?.delay(probe) ?? 0
        // A clock that stops or runs backwards is none, and one that is ahead of its headers has leapt.
        guard probe.ticks > reference || probes.isEmpty, delay > -Double(leastTransport) else {
            self = DeviceClock(leastTransport: leastTransport)
            return
        }
        probes.append(probe)
        if probes.count > Self.mostProbes { probes.removeFirst(Self.mostProbes / 10) }
        line = fit()
        newestDelay = line.map { max(0, $0.delay(probe)) }.flatMap { $0 < Self.mostTransport ? $0 : nil }
    }

    /// Maps an instant of the camera's clock, near its newest header; nil while the clock is not well known.
    package func time(of clock: UInt32) -> Reading? {
        guard let newestDelay, let line, let last = probes.last else { return nil }
        let ticks = Self.unwrapped(clock, near: last.ticks)
        let span = Double(line.high.ticks - line.low.ticks)
        let share = max(0, Double(max(line.low.ticks - ticks, ticks - line.high.ticks))) / span
        let host = line.host(ticks)
        guard share <= 1, abs(host) < Double(Self.longest) else { return nil }
        // The line's high end may be late by all of the least transport, and its low end by nothing.
        let transport = Double(leastTransport)
        let early = transport * (1 + share)
        // From the newest header to the instant, the line may rise too fast.
        let late = newestDelay + transport * Double(abs(last.ticks - ticks)) / span
        return Reading(
            time: MonotonicTime(nanoseconds: line.low.host + Int64(host + (late - early) / 2)),
            uncertaintyNanoseconds: Int64((late + early) / 2))
    }

    private static func unwrapped(_ clock: UInt32, near ticks: Int64) -> Int64 {
        ticks + Int64(Int32(bitPattern: clock &- UInt32(truncatingIfNeeded: ticks)))
    }

    private func fit() -> Line? {
        guard probes.count >= Self.fewestProbes, let first = probes.first, let last = probes.last,
            last.host - first.host >= Self.shortestSpan
        else { return nil }
        let hull = lowerHull()
        let mean = probes.reduce(0.0) { $0 + Double($1.ticks - first.ticks) } / Double(probes.count)
        guard let high = hull.indices.dropFirst().first(where: { Double(hull[$0].ticks - first.ticks) >= mean }) else {
            return nil
        }
        let edge = Line(low: hull[high - 1], high: hull[high])
        let third = probes.count / 3
        let quickest = [0..<third, third..<probes.count - third, probes.count - third..<probes.count].compactMap {
            probes[$0].min { edge.delay($0) < edge.delay($1) }
        }
        guard quickest.count == 3 else { return nil }
        let line = Line(low: quickest[0], high: quickest[2])
        // A clock that has leapt, or stopped for a while, does not run evenly.
        return abs(line.delay(quickest[1])) <= Double(leastTransport) ? line : nil
    }

    /// From the first probe to the last, those with no other below them; A. M. Andrew's monotone chain.
    private func lowerHull() -> [Probe] {
        var hull: [Probe] = []
        for probe in probes {
            while hull.count >= 2 {
                let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
                let turn =
                    Double(b.ticks - a.ticks) * Double(probe.host - a.host)
                    - Double(b.host - a.host) * Double(probe.ticks - a.ticks)
                guard turn <= 0 else { break }
                hull.removeLast()
            }
            hull.append(probe)
        }
        return hull
    }
}
