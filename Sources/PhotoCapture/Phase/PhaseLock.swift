package import CaptureModel

/// Brings a sensor's frames onto a grid and keeps them there, by setting how long each frame lasts; pure.
///
/// A sensor counts its frames in lines of its own clock: a frame cannot be told when to begin, only how long to last,
/// some frames ahead. What was told and has not landed is counted in, so that one long frame brings it onto the grid:
///
/// ```
/// grid     |         |         |         |         |         |
/// frames      |         |         |            |         |
///             ^ seen, told   ....lands: ^ longer by what is missing
/// ```
///
/// How many frames ahead is a guess at first; a frame that lasts as long as another one was told to gives it away.
///
/// Lines are coarser than the precision wanted. The error that rounding leaves is carried over to the next frame, so
/// that frames swing around the grid by less than a line, and their mean is on it (a first-order sigma-delta
/// modulator).
package struct PhaseLock: Sendable {
    /// What the sensor can do.
    package struct Sensor: Sendable, Hashable {
        /// How long a frame can be made to last, in nanoseconds.
        package let durations: ClosedRange<Int64>
        /// A line, in nanoseconds.
        package let line: Int64
        /// Frames from a write to its effect, as far as it is known.
        package let delay: Int

        package init(durations: ClosedRange<Int64>, line: Int64, delay: Int) {
            self.durations = durations
            self.line = line
            self.delay = delay
        }
    }

    /// The number of frames over which the clock's ratio is averaged.
    private static let memory = 64.0

    /// The longest delay considered, in frames.
    private static let longestDelay: UInt32 = 12
    /// A frame lasts as long as it was told to, to within this share; one that was stretched by its exposure does not,
    /// nor does one that was told something else. A crystal is never off by this much.
    private static let tolerance = 1e-3

    private let sensor: Sensor
    /// From a write to its effect, in frames.
    private var delay: UInt32
    /// What frames were told to last, and after which one; the newest last.
    private var told: [(after: UInt32, duration: Int64)]
    private var last: (frame: UInt32, start: MonotonicTime)?
    /// How long the newest frames lasted in a row, in nanoseconds.
    private var lasted: [(frame: UInt32, duration: Int64)] = []
    /// How much longer the sensor's frames are than they were told, and over how many frames that is averaged.
    private var stretch = (ratio: 1.0, count: 0.0)
    /// The sum of the errors that rounding left, in nanoseconds.
    private var carried = 0.0
    /// How late the newest frame began, in nanoseconds.
    package private(set) var error = 0.0

    package init(_ sensor: Sensor, frameDuration: Int64) {
        self.sensor = sensor
        delay = UInt32(sensor.delay)
        told = [(0, frameDuration)]
    }

    /// Whether the newest frame began on the grid, to a line or two.
    package var isLocked: Bool { abs(error) <= 2 * Double(sensor.line) }

    /// The grid lies earlier than it did, by this much.
    mutating func gridMoved(by nanoseconds: Double, _ grid: LocalGrid) {
        error = grid.wrapped(error + nanoseconds)
    }

    /// A frame has begun.
    ///
    /// - Parameter isFine: whether to leave the frame alone when more than a line or two is missing.
    /// - Returns: what to write now, for the frame that it lands on and those after it; nil where nothing changes.
    package mutating func frame(_ number: UInt32, start: MonotonicTime, _ grid: LocalGrid, isFine: Bool = false)
        -> Int64?
    {
        measure(number, start)
        error = grid.phase(of: start)
        let landing = number &+ delay
        // Where the frame that is told now will begin, if those before it last as they were told.
        let way = (0..<delay).reduce(0.0) {
            $0 + Double(self.duration(of: number &+ $1)) * stretch.ratio
        }
        let ahead = grid.wrapped(error + way)
        let line = Double(sensor.line) * stretch.ratio
        if isFine, abs(ahead) > 2 * line { return nil }
        let isNear = abs(ahead) < 2 * line
        if !isNear { carried = 0 }
        // The next frame's start makes up for what the ones before were off by.
        let wish = min(max(-carried, -line), line)
        var wanted = grid.period - ahead + (isNear ? wish : 0)
        while wanted < Double(sensor.durations.lowerBound) * stretch.ratio { wanted += grid.period }
        let lines = (wanted / line).rounded()
        let duration = min(max(Int64(lines) * sensor.line, sensor.durations.lowerBound), sensor.durations.upperBound)
        let next = grid.wrapped(ahead + Double(duration) * stretch.ratio)
        carried = min(max(carried + next, -line), line)
        guard duration != self.duration(of: landing) else { return nil }
        told.append((number, duration))
        return duration
    }

    private func duration(of frame: UInt32) -> Int64 { duration(of: frame, delay) }

    private func duration(of frame: UInt32, _ delay: UInt32) -> Int64 {
        told.last { !($0.after &+ delay).isAfter(frame) }?.duration ?? told[0].duration
    }

    /// Learns how the sensor's clock runs against this board's, from two frames in a row.
    private mutating func measure(_ number: UInt32, _ start: MonotonicTime) {
        defer { last = (number, start) }
        guard let last, number == last.frame &+ 1 else { return lasted = [] }
        lasted = lasted.suffix(Int(Self.longestDelay)) + [(last.frame, start - last.start)]
        if let ratio = ratio(of: lasted[lasted.count - 1], delay) {
            stretch.count = min(stretch.count + 1, Self.memory)
            stretch.ratio += (ratio - stretch.ratio) / stretch.count
        } else {
            learnDelay()
        }
        let oldest = number &- 2 * Self.longestDelay
        while told.count > 1, oldest.isAfter(told[1].after) { told.removeFirst() }
    }

    /// A frame's length against what it was told, given this delay; nil where it cannot have been told that.
    private func ratio(of frame: (frame: UInt32, duration: Int64), _ delay: UInt32) -> Double? {
        let ratio = Double(frame.duration) / Double(duration(of: frame.frame, delay))
        return abs(ratio - 1) < Self.tolerance ? ratio : nil
    }

    /// Takes the delay that alone explains how long the newest frames lasted, if one does.
    private mutating func learnDelay() {
        let explaining = (1...Self.longestDelay).filter { delay in
            lasted.allSatisfy { ratio(of: $0, delay) != nil }
        }
        if explaining.count == 1 { delay = explaining[0] }
    }
}
