package import CaptureModel
import Posix

extension CaptureDevice {
    /// How long to wait for the automatic, in nanoseconds.
    private static let settlingLimit: Int64 = 3_000_000_000

    /// The exposure that a capture begins from: what the automatic has settled on, or what was set.
    ///
    /// - Returns: nil where neither the core nor the driver knows it.
    package func settledExposure() async throws(CaptureError) -> Exposure? {
        guard capabilities.exposureDurationRange != nil else { return nil }
        let deadline = Clocks.monotonicNanoseconds() + Self.settlingLimit
        for await now in properties.values() {
            if let failure = now.failure { throw failure }
            guard now.isRunning else {
                throw CaptureError(.sessionNotRunning, "The capture session is not running; start it before a capture.")
            }
            // In light that flickers it never settles.
            if !now.isAdjustingExposure || Clocks.monotonicNanoseconds() > deadline { break }
        }
        return look(\.chosen.exposure)
    }

    /// Makes sure that the camera's delays and response are known; learns them where they are not.
    public func learnControls() async throws {
        if needsLearning { _ = try await calibrate() }
    }

    /// Whether ``learnControls()`` would have something to learn, which takes its time.
    package var needsLearning: Bool { look(\.needsLearning) }

    /// Learns the camera anew where what is known about it has turned out wrong, while nothing else needs doing: the
    /// next capture that is prepared or fired ends it, see ``interruptRelearning()``.
    func relearnIfDoubtful() {
        guard let turn = look({ $0.metersItself && $0.doubt.isDue ? $0.relearningTurn : nil }) else { return }
        Task { try? await calibrate(inTurn: turn) }
    }

    /// A capture needs the camera.
    func interruptRelearning() { run { $0.interruptRelearning() } }

    /// How long a calibration takes with most cameras like this one, in nanoseconds.
    public var usualCalibrationDuration: Int64 { CalibrationMachine.usualDuration(camera.capabilities) }

    /// Measures the camera's delays, response and gains, and keeps them; see ``usualCalibrationDuration``.
    ///
    /// No capture can be made meanwhile. ``DeviceProperties/calibrationProgress`` shows how far it is. It ends once the
    /// tasks of all who wait for it are cancelled, and puts the controls back.
    @discardableResult
    public func calibrate() async throws -> CameraProfile { try await calibrate(inTurn: nil) }

    /// - Parameter turn: for learning in the background, unless another turn has begun; nil for a caller who asks.
    @discardableResult
    private func calibrate(inTurn turn: Int?) async throws -> CameraProfile {
        guard let settled = try await settledExposure(), look(\.metersItself) else {
            throw CaptureError(
                .calibrationFailed,
                "\(uniqueID) has no exposure that can be set and seen in its pictures; there is nothing to learn.")
        }
        return try await awaitCalibration(from: settled, turn: turn)
    }
}
