/// What the rig must know about each camera's timing to give all of them one schedule.
package struct CaptureTiming: Hashable, Sendable, Codable {
    /// From the order to fire to the first exposure that can follow it, in nanoseconds.
    package let leadNanoseconds: Int64
    /// From the start of each step's exposure to the earliest start of the next one, in nanoseconds.
    package let stepNanoseconds: [Int64]
    /// From frame to frame, in nanoseconds.
    package let frameDurationNanoseconds: Int64

    package init(leadNanoseconds: Int64, stepNanoseconds: [Int64], frameDurationNanoseconds: Int64) {
        self.leadNanoseconds = leadNanoseconds
        self.stepNanoseconds = stepNanoseconds
        self.frameDurationNanoseconds = frameDurationNanoseconds
    }

    /// From the start of the first exposure to the end of the last one when no frame is lost, in nanoseconds.
    package var spanNanoseconds: Int64 { stepNanoseconds.reduce(0, +) }

    /// Whether the numbers can be genuine, so that no arithmetic on them overflows.
    package var isPlausible: Bool {
        let most = Int64.seconds(3600)
        return stepNanoseconds.count <= Bracket.maximumCount
            && (stepNanoseconds + [leadNanoseconds, frameDurationNanoseconds]).allSatisfy { (0...most).contains($0) }
    }

    /// One schedule for cameras of different speeds: how long after the first each step begins, in nanoseconds.
    package static func stepOffsets(of timings: [CaptureTiming]) -> [Int64] {
        let count = timings.map(\.stepNanoseconds.count).max() ?? 0
        var offsets: [Int64] = []
        var time: Int64 = 0
        for step in 0..<count {
            offsets.append(time)
            time +=
                timings.compactMap { $0.stepNanoseconds.indices.contains(step) ? $0.stepNanoseconds[step] : nil }
                .max() ?? 0
        }
        return offsets
    }
}
