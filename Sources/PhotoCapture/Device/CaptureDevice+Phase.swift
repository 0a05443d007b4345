import CaptureModel
import Synchronization

extension CaptureDevice {
    /// Lets the camera's frames begin on a grid from now on; called again as the grid is known better.
    ///
    /// Where the frames cannot be moved, it only tells how they lie: ``phaseError``.
    package func align(to grid: LocalGrid) {
        let camera = camera.capabilities
        state.withLock { state in
            let isOther = state.phase.map { abs($0.grid.period / grid.period - 1) > 1e-3 } ?? true
            guard isOther else {
                state.phase?.move(to: grid)
                return
            }
            let sensor = camera.frameDurationRange.map { range in
                PhaseLock.Sensor(
                    durations: range, line: max(1, camera.frameDurationStep ?? 1), delay: delays.frameDuration)
            }
            let lock = sensor.map { PhaseLock($0, frameDuration: camera.frameDurationNanoseconds) }
            state.phase = Phase(grid: grid, lock: lock)
        }
    }

    /// How late the newest frames begin against the grid, in nanoseconds; nil without a grid or a frame.
    package var phaseError: Int64? {
        state.withLock { $0.phase?.error.map { Int64($0.rounded()) } }
    }

    /// Whether the newest frame began on the grid, to a line or two; nil where frames cannot be moved.
    package var isOnGrid: Bool? { state.withLock { $0.phase?.lock?.isLocked } }

    /// How the frames lie on the grid that they are to begin on.
    struct Phase {
        var grid: LocalGrid
        /// Nil where the camera's frames cannot be made to last longer.
        var lock: PhaseLock?
        /// The mean of the newest frames' errors, in nanoseconds.
        var error: Double?

        /// The grid is known better, or is another one; what was seen holds against the new one.
        mutating func move(to new: LocalGrid) {
            let moved = new.phase(of: grid.origin)
            error = error.map { new.wrapped($0 + moved) }
            lock?.gridMoved(by: moved, new)
            grid = new
        }

        /// Follows slowly, and at once what is a step.
        mutating func note(_ start: MonotonicTime) {
            let now = grid.phase(of: start)
            guard let mean = error, abs(now - mean) < grid.period / 16 else {
                error = now
                return
            }
            error = mean + (now - mean) / 8
        }
    }

    /// A frame has begun: keeps the next ones on the grid.
    func followPhase(_ frame: FrameInfo, start: MonotonicTime) {
        let duration = state.withLock { state -> Int64? in
            guard !frame.isError, state.calibration == nil else { return nil }
            state.phase?.note(start)
            guard let grid = state.phase?.grid, !frame.isBehind else { return nil }
            return state.phase?.lock?.frame(frame.sequence, start: start, grid, isFine: state.hold != nil)
        }
        guard let duration else { return }
        var values = ControlValues()
        values.frameDuration = duration
        // One that is refused now is told again with the next frame.
        _ = try? camera.write(values)
    }
}
