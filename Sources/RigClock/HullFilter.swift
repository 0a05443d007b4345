package import CaptureModel

/// Estimates offset and drift from the two clouds of a window of probes, with a bound that holds whatever the paths
/// did.
///
/// A probe reaches the coordinator late, never early: received - sent is the offset plus the time on the way, and so
/// lies above the true offset at the instant when it was sent. Likewise answered - returned lies below the true offset
/// at the instant when the answer returned. The offset runs between the two clouds:
///
/// ```
/// offset   x  x    x       probes: received - sent          the widest band between the clouds;
///    |   ----------------  - - - - - - - - - - - - - -      its middle line is the estimate,
///    |   ================  = = = = = = = = = = = = = =      every line that fits the bound
///    |   ----------------  - - - - - - - - - - - - - -
///    |      o    o   o     answers: answered - returned
///    +-----------------------------------------------> node time
/// ```
///
/// The widest band is Huygens' support vector machine in one dimension (Y. Geng et al., "Exploiting a natural network
/// effect for scalable, fine-grained clock synchronization", NSDI 2018). Crystals wander, so a point may lie beyond
/// the line by what the rate can have changed since: recent probes count for more. Unequal paths cannot be seen by any
/// two-way method; the bound is never below half the shortest round trip, which is the most that they can hide.
package struct HullFilter: ClockEstimator {
    /// The fastest that two boards' clocks are assumed to drift apart: 200 parts per million, four bad crystals.
    package static let maximumRate = 200e-6
    /// The most that the rate changes in a second: a crystal that warms by several degrees in a minute. For the bound.
    package static let maximumWander = 2e-8
    /// What the rate usually changes in a second. For the estimate: the further back it reaches, the less one late
    /// probe counts.
    package static let typicalWander = 1e-9
    /// Answers needed before the estimate counts as ``ClockStatus/active``.
    package static let calibrationCount = 8
    /// Probes older than this no longer count.
    package static let windowNanoseconds = Int64.seconds(30)
    /// The time without an answer after which the clock runs free.
    package static let freeRunAfterNanoseconds = Int64.seconds(5)
    /// The most probes that are kept; beyond that the oldest go.
    package static let capacity = 800
    /// The number of probes that make the estimate as good as it gets; until then they go out quickly.
    package static let settledCount = 100

    private var probes: [ClockProbe] = []
    /// For the bound.
    private var band: Band?
    /// For the estimate; nil while the rate changes more than it usually does.
    private var middle: Band?
    /// The round trips of the probes in the window, the longest way of an answer, and all restarts so far.
    package private(set) var statistics = ProbeStatistics()

    package init() {}

    /// How long after the last pair of probes the next one is to go out, in nanoseconds.
    ///
    /// On a wire that is full of photos a probe only shows how full it is, and takes their place.
    package var interval: Int64 {
        // Between two photos the wire is empty for an instant, and one probe alone may be held up on any.
        let late = probes.suffix(Self.calibrationCount).count { $0.roundTripNanoseconds > Self.crowded }
        if late >= 3, probes.count > 2 * Self.calibrationCount { return .seconds(2) }
        return probes.count < Self.settledCount ? .milliseconds(100) : .milliseconds(250)
    }

    /// A round trip beyond this is one of a full wire, in nanoseconds.
    private static let crowded = Int64.milliseconds(100)

    /// Forgets all probes; the count of restarts stays.
    package mutating func reset() {
        probes = []
        (band, middle) = (nil, nil)
        count()
    }

    /// Takes an answered probe; where no line fits it and those in the window, the window starts over with it.
    @discardableResult
    package mutating func add(_ probe: ClockProbe) -> ProbeVerdict {
        guard probe.isPlausible else { return .implausible }
        // Answers may come in a different order from the questions.
        guard let last = probes.last else { return begin(with: probe, .accepted) }
        guard probe.returned >= last.returned else { return .implausible }
        let oldest = probe.returned - Self.windowNanoseconds
        let kept = probes.drop { $0.returned.nanoseconds < oldest.nanoseconds }.suffix(Self.capacity - 1)
        let all = Array(kept) + [probe]
        guard let band = Band(all, wander: Self.maximumWander) else { return begin(with: probe, .startedOver) }
        (probes, self.band) = (all, band)
        middle = Band(all, wander: Self.typicalWander)
        count()
        return .accepted
    }

    private mutating func begin(with probe: ClockProbe, _ verdict: ProbeVerdict) -> ProbeVerdict {
        (probes, band, middle) = ([probe], Band([probe], wander: Self.maximumWander), nil)
        if verdict == .startedOver { statistics.restarts += 1 }
        count()
        return verdict
    }

    /// Asked for at every turn of a node, the statistics change only with the probes.
    private mutating func count() {
        let restarts = statistics.restarts
        statistics = ProbeStatistics()
        statistics.restarts = restarts
        let trips = probes.map(\.roundTripNanoseconds).sorted()
        statistics.count = trips.count
        guard let shortest = trips.first, let longest = trips.last, let band = middle ?? band else { return }
        (statistics.shortest, statistics.median, statistics.longest) = (shortest, trips[trips.count / 2], longest)
        statistics.longestAnswer = probes.map { probe in
            let way = probe.returned.nanoseconds + band.middle(at: probe.returned) - probe.answered.nanoseconds
            // The line may miss a point by what the rate wanders.
            return min(max(way, 0), probe.roundTripNanoseconds)
        }.max()
    }

    /// Returns what is known now: unavailable until the first answer, free-running 5 s after the last one.
    package func estimate(at now: MonotonicTime) -> ClockEstimate {
        guard let band, let last = probes.last else { return .unavailable }
        let status: ClockStatus =
            if now - last.returned > Self.freeRunAfterNanoseconds {
                .freeRun
            } else if probes.count < Self.calibrationCount {
                .calibrating
            } else {
                .active
            }
        let offset = (middle ?? band).middle(at: now)
        return ClockEstimate(
            status: status, offsetNanoseconds: offset, boundNanoseconds: band.bound(of: offset, at: now),
            rate: (middle ?? band).rate, rateBound: band.rateBound(of: (middle ?? band).rate), asOf: now)
    }
}

/// All lines that run between the two clouds, and the one in the middle of the widest band.
private struct Band: Sendable {
    private struct Point {
        /// In seconds from ``Band/origin``, not after it.
        let time: Double
        /// In nanoseconds from ``Band/base``.
        let offset: Double
    }

    /// A band of at least this share of the greatest width is as good as the widest.
    private static let nearlyWidest = 0.97

    /// The newest probe's return.
    private let origin: MonotonicTime
    /// A rough offset, so that a double holds the rest to the nanosecond.
    private let base: Int64
    private let above: [Point]
    private let below: [Point]
    /// The slopes of all lines that fit, in nanoseconds a second.
    private let slopes: ClosedRange<Double>
    private let slope: Double
    private let wander: Double

    var rate: Double { slope * 1e-9 }

    /// - Returns: nil when no line runs between the clouds: one of the clocks stepped.
    ///
    /// - Parameter wander: how much the rate may change in a second.
    init?(_ probes: [ClockProbe], wander: Double) {
        guard let last = probes.last else { return nil }
        let (origin, base) = (last.returned, last.offsetNanoseconds)
        // Any change of the rate since then bends the line away from a point.
        func bend(_ time: Double) -> Double { wander * 1e9 / 2 * time * time }
        let above = probes.map { probe in
            let time = Double(probe.sent - origin) * 1e-9
            return Point(
                time: time, offset: Double(probe.received.nanoseconds - probe.sent.nanoseconds - base) + bend(time))
        }
        let below = probes.map { probe in
            let time = Double(probe.returned - origin) * 1e-9
            return Point(
                time: time, offset: Double(probe.answered.nanoseconds - probe.returned.nanoseconds - base) - bend(time))
        }
        self.origin = origin
        self.base = base
        self.wander = wander
        self.above = Self.hull(above, isLower: true)
        self.below = Self.hull(below, isLower: false)
        let limit = HullFilter.maximumRate * 1e9
        let (upper, lower) = (self.above, self.below)
        func width(_ slope: Double) -> Double { Self.top(upper, slope) - Self.bottom(lower, slope) }
        let widest = Self.highest(-limit...limit, width)
        // The clocks are read to a nanosecond.
        guard width(widest) >= -1 else { return nil }
        slopes = Self.edge(from: widest, to: -limit, width)...Self.edge(from: widest, to: limit, width)
        // Where one good probe pins the band, the band can turn about it: the middle of that range is best.
        let nearly = width(widest) * Self.nearlyWidest - 1
        func beyond(_ slope: Double) -> Double { width(slope) - nearly }
        slope = (Self.edge(from: widest, to: -limit, beyond) + Self.edge(from: widest, to: limit, beyond)) / 2
    }

    /// The offset at an instant, in nanoseconds.
    func middle(at time: MonotonicTime) -> Int64 {
        let middle = (Self.top(above, slope) + Self.bottom(below, slope)) / 2 + slope * ahead(time)
        return base + Int64(middle.rounded())
    }

    /// How far the true offset can be from this one, in nanoseconds.
    func bound(of offset: Int64, at time: MonotonicTime) -> Int64 {
        let (ahead, here) = (ahead(time), Double(offset - base))
        func highest(_ slope: Double) -> Double { Self.top(above, slope) + slope * ahead }
        func lowest(_ slope: Double) -> Double { -(Self.bottom(below, slope) + slope * ahead) }
        let high = highest(Self.highest(slopes, highest))
        let low = -lowest(Self.highest(slopes, lowest))
        let bound = max(high - here, here - low, 0) + wander * 1e9 / 2 * ahead * ahead + 1
        return Int64(min(bound.rounded(.up), 9e18))
    }

    /// How far the true rate can be from this one, without unit.
    func rateBound(of rate: Double) -> Double {
        max(slopes.upperBound * 1e-9 - rate, rate - slopes.lowerBound * 1e-9)
    }

    private func ahead(_ time: MonotonicTime) -> Double { Double(time - origin) * 1e-9 }

    /// Where a line of this slope crosses the origin when it touches the upper cloud from below, and the lower one
    /// from above.
    private static func top(_ points: [Point], _ slope: Double) -> Double {
        points.reduce(.infinity) { min($0, $1.offset - slope * $1.time) }
    }

    private static func bottom(_ points: [Point], _ slope: Double) -> Double {
        points.reduce(-.infinity) { max($0, $1.offset - slope * $1.time) }
    }

    /// Where a concave function is highest, by golden section.
    private static func highest(_ range: ClosedRange<Double>, _ value: (Double) -> Double) -> Double {
        let golden = 0.618_033_988_749_895
        var (low, high) = (range.lowerBound, range.upperBound)
        var (left, right) = (high - golden * (high - low), low + golden * (high - low))
        var (valueLeft, valueRight) = (value(left), value(right))
        // A thousandth of a nanosecond a second is enough.
        while high - low > 1e-3 {
            if valueLeft >= valueRight {
                (high, right, valueRight) = (right, left, valueLeft)
                left = high - golden * (high - low)
                valueLeft = value(left)
            } else {
                (low, left, valueLeft) = (left, right, valueRight)
                right = low + golden * (high - low)
                valueRight = value(right)
            }
        }
        return [range.lowerBound, (low + high) / 2, range.upperBound].max { value($0) < value($1) } ?? low
    }

    /// The last slope, from one that fits towards a limit, that still fits.
    private static func edge(from inside: Double, to limit: Double, _ width: (Double) -> Double) -> Double {
        if width(limit) >= 0 { return limit }
        var (good, bad) = (inside, limit)
        while abs(good - bad) > 1e-3 {
            let middle = (good + bad) / 2
            if width(middle) >= 0 { good = middle } else { bad = middle }
        }
        return bad
    }

    /// The points that a line can touch from below, or from above: Andrew's monotone chain.
    private static func hull(_ points: [Point], isLower: Bool) -> [Point] {
        var chain: [Point] = []
        // Answers come in order; a question may overtake another one.
        for point in isLower ? points.sorted(by: { $0.time < $1.time }) : points {
            while chain.count >= 2 {
                let (first, second) = (chain[chain.count - 2], chain[chain.count - 1])
                let turn =
                    (second.time - first.time) * (point.offset - first.offset)
                    - (second.offset - first.offset) * (point.time - first.time)
                guard isLower ? turn <= 0 : turn >= 0 else { break }
                chain.removeLast()
            }
            chain.append(point)
        }
        return chain
    }
}
