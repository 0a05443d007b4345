import CaptureModel

/// Writes one set of values after each frame, and keeps what the frames showed; pure.
struct ControlExperiment: Sendable {
    struct Write: Sendable {
        var after: UInt32
        /// What was written, as far as the driver took it.
        var values: ControlValues
        /// Whether what was asked for is what the script begins with.
        let isFirst: Bool
    }

    struct Shot: Sendable {
        let frame: UInt32
        let grid: LuminanceGrid
    }

    private var script: ArraySlice<ControlValues>
    private var first: ControlValues?
    private var framesLeft: Int
    private(set) var writes: [Write] = []
    private(set) var shots: [Shot] = []

    /// - Parameter tail: frames after the last write, for the slowest control to act.
    init(_ script: [ControlValues], tail: Int) {
        self.script = script[...]
        framesLeft = tail
    }

    var isDone: Bool { framesLeft == 0 }

    /// How many more frames it needs, if all arrive.
    var remaining: Int { script.count + framesLeft }

    /// A frame has arrived.
    ///
    /// - Returns: what to write now.
    mutating func frame(_ info: FrameInfo, _ grid: LuminanceGrid?) -> ControlValues? {
        if !info.isError, let grid { shots.append(Shot(frame: info.sequence, grid: grid)) }
        // While behind the camera, nothing can be timed.
        guard !info.isBehind else { return nil }
        guard let values = script.popFirst() else {
            framesLeft -= 1
            return nil
        }
        guard values != ControlValues() else { return nil }
        first = first ?? values
        writes.append(Write(after: info.sequence, values: values, isFirst: values == first))
        return values
    }

    /// The driver took the last write as these values, and by then this frame had arrived.
    mutating func wrote(_ values: ControlValues, after frame: UInt32) {
        guard !writes.isEmpty else { return }
        (writes[writes.count - 1].after, writes[writes.count - 1].values) = (frame, values)
    }

    /// The last shot on which each write is in force with these delays, just before the next one lands: a write that
    /// landed a frame late is in force on it too, where it was held for two.
    func lastShots(_ delays: ControlDelays) -> [(values: ControlValues, shot: Shot)] {
        writes.indices.compactMap { index in
            let write = writes[index]
            let delay = UInt32(write.values.controls.map { delays[$0] }.max() ?? 1)
            let next = index + 1 < writes.count ? writes[index + 1].after &+ delay : nil
            let shot = shots.last { shot in
                !(write.after &+ delay).isAfter(shot.frame) && next?.isAfter(shot.frame) ?? true
            }
            return shot.map { (write.values, $0) }
        }
    }
}
