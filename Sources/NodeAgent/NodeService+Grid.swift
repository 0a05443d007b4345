import CaptureModel
import Logging
import PhotoCapture
import Posix
import RigClock
import RigProtocol
import RigRules

/// How a node's frames are moved to where the rig wants them.
extension NodeService {
    func moveStart(_ move: MoveStart) async {
        guard let device = output.device else { return }
        do {
            try await device.moveStart(by: move.nanoseconds, lamp: move.lamp)
            logger.notice("from now on the camera's timestamps are corrected by another \(move.nanoseconds / 1000) µs")
        } catch {
            logger.warning("the correction of the camera's timestamps cannot be kept: \(error)")
        }
    }

    // MARK: The grid

    func align(_ grid: FrameGrid) {
        guard self.grid.follow(grid), let local = alignDevice() else { return }
        guard output.device?.capabilities.frameDurationRange == nil, prepared.isEmpty, preparing == 0,
            settingCount == 0,
            !self.grid.isShifted, [.ready, .notReadyWaitingForProcessing].contains(output.captureReadiness),
            let session,
            let error = output.device?.phaseError,
            let time = aligner.restart(error: Double(error), local, now: now)
        else { return }
        logger.info("frames begin \(error / 1000) µs off the rig's grid; restarting the stream")
        restarting = Task { [logger] in
            do {
                _ = try await OSThread.run(name: "camera-restart") { try session.restart(at: time) }
            } catch {
                logger.warning("the stream cannot be restarted: \(error)")
            }
        }
    }

    /// Tells the camera where the grid lies on this board's clock, as well as that is known now.
    func alignDevice() -> LocalGrid? {
        guard let device = output.device, let (origin, period) = grid.local(clock.estimate, now: now) else {
            return nil
        }
        let local = LocalGrid(origin: origin, period: period)
        device.align(to: local)
        return local
    }

    /// Waits, for two seconds at most, until a stream that has just begun knows where its frames lie and has moved
    /// them: the plan's limit is checked against that.
    func findPhase(of device: CaptureDevice) async {
        await wait(.seconds(2)) { device.phaseError != nil && device.isOnGrid != false }
    }

    /// Takes back the shift of a capture that is over.
    func unshiftGrid(after id: UniqueID) {
        if grid.unshift(after: id) { _ = alignDevice() }
    }

    /// Shifts the grid for a capture in which this node fires later than the others: its frames begin later as well.
    func shiftGrid(_ shift: Int64, for id: UniqueID) async {
        guard grid.shift(by: shift, for: id), let device = output.device, alignDevice() != nil,
            device.capabilities.frameDurationRange != nil
        else { return }
        // It takes several frames until they are there: preparing waits, a second at most.
        await wait(.seconds(1)) { device.isOnGrid ?? true }
    }

    /// Waits until the frames are where they are wanted, which nothing reports.
    private func wait(_ most: Int64, until isThere: () -> Bool) async {
        let deadline = now + most
        while !isThere(), now < deadline, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
            _ = alignDevice()
        }
    }
}
