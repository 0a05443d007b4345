import CaptureModel

/// Follows how a camera's frames lie against the grid that they are to begin on; pure.
struct PhaseFollower: Sendable {
    private var grid: LocalGrid
    /// Nil where the camera's frames cannot be made to last longer.
    private var lock: PhaseLock?
    /// The mean lateness of the newest frames, in nanoseconds; nil before the first.
    private(set) var error: Double?

    init(_ grid: LocalGrid, _ camera: CameraCapabilities, _ delays: ControlDelays) {
        self.grid = grid
        let sensor = camera.frameDurationRange.map { range in
            PhaseLock.Sensor(
                durations: range, line: max(1, camera.frameDurationStep ?? 1), delay: delays.frameDuration)
        }
        lock = sensor.map { PhaseLock($0, frameDuration: camera.frameDurationNanoseconds) }
    }

    /// Whether the newest frame began on the grid, to a line or two; nil where frames cannot be moved.
    var isOnGrid: Bool? { lock?.isLocked }

    /// Whether this is the same grid, only known better.
    func follows(_ other: LocalGrid) -> Bool { abs(grid.period / other.period - 1) <= 1e-3 }

    /// The grid is better known, or another one; what was seen is restated against it.
    mutating func move(to new: LocalGrid) {
        let moved = new.phase(of: grid.origin)
        error = error.map { new.wrapped($0 + moved) }
        lock?.gridMoved(by: moved, new)
        grid = new
    }

    /// A frame has begun.
    ///
    /// - Parameter isFine: whether a capture is under way, whose frames are not to be moved far.
    /// - Returns: how long frames are to last from now on, in nanoseconds; nil for no change.
    mutating func frame(_ frame: FrameInfo, start: MonotonicTime, isFine: Bool) -> Int64? {
        guard !frame.isError else { return nil }
        note(start)
        return frame.isBehind ? nil : lock?.frame(frame.sequence, start: start, grid, isFine: isFine)
    }

    /// Follows slowly, but a step at once.
    private mutating func note(_ start: MonotonicTime) {
        let now = grid.phase(of: start)
        guard let mean = error, abs(now - mean) < grid.period / 16 else {
            error = now
            return
        }
        error = mean + (now - mean) / 8
    }
}

extension CaptureDevice {
    /// Has the camera's frames begin on a grid from now on; call it again as the grid becomes better known.
    ///
    /// Where the frames cannot be moved, it only measures how they lie: ``phaseError``.
    package func align(to grid: LocalGrid) {
        run { machine in
            if machine.phase?.follows(grid) ?? false {
                machine.phase?.move(to: grid)
            } else {
                machine.phase = PhaseFollower(grid, machine.camera, machine.delays)
            }
        }
    }

    /// How late the newest frames begin against the grid, in nanoseconds; nil without a grid or a frame.
    package var phaseError: Int64? { look { $0.phase?.error.map { Int64($0.rounded()) } } }

    /// Whether the newest frame began on the grid, to a line or two; nil where frames cannot be moved.
    package var isOnGrid: Bool? { look { $0.phase?.isOnGrid } }
}
