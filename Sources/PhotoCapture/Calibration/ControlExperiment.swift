import CaptureModel

/// Writes one set of values after each frame, and keeps what the frames showed; pure.
struct ControlExperiment: Sendable {
    struct Write: Sendable {
        var after: UInt32
        let values: ControlValues
    }

    struct Shot: Sendable {
        let frame: UInt32
        let grid: LuminanceGrid
    }

    private var script: ArraySlice<ControlValues>
    private var framesLeft: Int
    private(set) var writes: [Write] = []
    private(set) var shots: [Shot] = []

    /// - Parameter tail: frames after the last write, for the slowest control to act.
    init(_ script: [ControlValues], tail: Int = 12) {
        self.script = script[...]
        framesLeft = tail
    }

    /// Each value written once and then held for so many frames that it surely is in force.
    init(holding values: [ControlValues], frames: Int) {
        self.init(values.flatMap { [$0] + Array(repeating: ControlValues(), count: frames - 1) }, tail: frames)
    }

    var isDone: Bool { framesLeft == 0 }

    /// A frame has arrived.
    ///
    /// - Returns: what to write now.
    mutating func frame(_ info: FrameInfo, _ grid: LuminanceGrid?) -> ControlValues? {
        if !info.isError, let grid { shots.append(Shot(frame: info.sequence, grid: grid)) }
        // Behind the camera nothing can be timed.
        guard !info.isBehind else { return nil }
        guard let values = script.popFirst() else {
            framesLeft -= 1
            return nil
        }
        guard values != ControlValues() else { return nil }
        writes.append(Write(after: info.sequence, values: values))
        return values
    }

    /// The last write took until this frame had arrived.
    mutating func wrote(after frame: UInt32) {
        guard !writes.isEmpty else { return }
        writes[writes.count - 1].after = frame
    }

    /// The shots on which the values of a write surely are in force: the last ones before the next write acts.
    var settledShots: [(values: ControlValues, grid: LuminanceGrid)] {
        writes.indices.compactMap { index in
            let end = index + 1 < writes.count ? writes[index + 1].after &+ 1 : nil
            let shot = shots.last { shot in end.map { $0.isAfter(shot.frame) } ?? true }
            return shot.map { (writes[index].values, $0.grid) }
        }
    }
}
