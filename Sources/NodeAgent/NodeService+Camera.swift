import CaptureModel
import Logging
import PhotoCapture
import RigProtocol
import RigRules

/// The node's camera, set by hand.
extension NodeService {
    func carryOut(_ order: CameraOrder) {
        inTurn { await self.answer(order) }
    }

    /// Sets a camera that has been opened to what was kept.
    ///
    /// - Returns: whether it is set so.
    func setAsKept(_ device: CaptureDevice) async -> Bool {
        await inTurn {
            do {
                try await self.keptCamera.restore(device)
                self.cameraProblem = nil
            } catch {
                self.lose("The camera is not set as it was by hand: \(error)")
            }
        }.value
        return cameraProblem == nil
    }

    /// One after the other; a capture that is prepared meanwhile waits for them, and so does a stream that is to begin
    /// anew.
    @discardableResult
    private func inTurn(_ body: @escaping () async -> Void) -> Task<Void, Never> {
        settingCount += 1
        let task = Task { [former = setting] in
            await former?.value
            await restarting?.value
            await body()
            settingCount -= 1
        }
        setting = task
        return task
    }

    private func answer(_ order: CameraOrder) async {
        var report = CameraReport(number: order.number)
        let device = session == nil ? nil : output.device
        do {
            guard let device else { throw CaptureError(.deviceNotConnected, "The camera is not connected.") }
            report.state = try await keptCamera.carryOut(
                order.act, order.settings, on: device, isInForce: cameraProblem == nil)
            if order.act != .show { wasSet(order, device) }
        } catch {
            report.error = CaptureError(setting: error)
            if case KeptCamera.Trouble.halfSet(let why) = error { lose("The camera is only half set: \(why)") }
            // What it is set to now is of use all the same.
            if let device { report.state = try? await keptCamera.state(of: device) }
        }
        if let cameraProblem, report.state?.problem == nil { report.state?.problem = cameraProblem }
        take(.cameraAnswered(report))
    }

    /// Photos of a camera that is not set as somebody believes would be none that anybody wants.
    func lose(_ problem: String) {
        cameraProblem = "\(problem) `volley camera set` or `volley camera reset` of node \(name) ends this."
        warn(cameraProblem ?? "")
        take(.cameraLost(CaptureError(.unsupportedSettings, cameraProblem ?? "")))
    }

    private func wasSet(_ order: CameraOrder, _ device: CaptureDevice) {
        let words = order.settings?.words ?? "as it was found"
        logger.notice("the camera was set by hand: \(words.printableLine)", metadata: about())
        guard cameraProblem != nil else { return }
        cameraProblem = nil
        if device.properties.value.isRunning { take(.cameraReady(device.capabilities)) }
    }
}

extension CaptureError {
    /// Why a camera is not set by hand, in the form that is sent.
    init(setting error: any Error) {
        switch error {
        case let error as CaptureError: self = error
        case let error as CaptureDeviceError: self.init(.unsupportedSettings, error.message)
        default: self.init(.deviceFailed, "\(error)")
        }
    }
}
