package import CaptureModel
import Glibc
import PhotoCapture
package import Posix
import RigClock
import RigProtocol
import RigRules
import Spool

/// What a node does for a capture: prepares it, fires it, and makes the results durable.
extension NodeService {
    /// For how long after an order to fire nothing is written, where the first exposure is not before: processors, and
    /// disks that nodes share, are left to those whose orders are still on their way.
    private static let quiet = Int64.milliseconds(100)

    func prepare(_ order: Prepare) async {
        let (id, plan) = (order.uniqueID, order.plan)
        preparing += 1
        defer { preparing -= 1 }
        // A stream that is being restarted is back within a second.
        await restarting?.value
        // What is being set by hand is in force within seconds.
        await setting?.value
        do {
            guard session != nil, let device = output.device else {
                throw CaptureError(.deviceNotConnected, "The camera is not connected.")
            }
            try await checkSpace(plan)
            await shiftGrid(plan.offset(of: name), for: id)
            // The coordinator sends each node its own.
            let own = plan.settings?.first
            var values = ControlValues(own?.exposure ?? Exposure())
            (values.lensPosition, values.whiteBalance) = (own?.camera.lensPosition, own?.camera.whiteBalance)
            let shared = ControlValues(exposure: order.shared?.exposure, whiteBalance: order.shared?.whiteBalance)
            var settings = plan.settings(id, with: own)
            settings.photo.tags = order.tags ?? PhotoTags()
            settings.photo.tags.node = name
            let capture = try await output.prepare(settings, shared: shared.over(values))
            if plan.maxSpread != nil { await findPhase(of: device) }
            let resolution = NodeMachine.Resolution(
                settings: capture.resolvedSettings, timing: capture.timing, settled: try await settled(plan, device),
                starts: try starts(of: capture, plan, device))
            prepared[id] = capture
            Failpoint.capturePrepared.pass()
            take(.resolved(id, .success(resolution)))
        } catch {
            await output.restoreFormat(after: id)
            take(.resolved(id, .failure(CaptureError(preparing: error))))
        }
    }

    /// Refuses a plan whose photos would not fit, before it is fired.
    private func checkSpace(_ plan: Plan) async throws {
        guard let camera = output.device?.capabilities else { return }
        let free = try await spool.freeBytes()
        if let objection = Plan.objection(
            toSpool: free, of: name, photoCount: plan.expectedPhotoCount,
            largest: plan.largestPhotoByteCount(camera))
        {
            throw objection
        }
    }

    /// How well a capture's starts will be known, if the plan sets a limit on their spread.
    ///
    /// - Throws: ``CaptureError`` if nobody could tell whether that limit was met.
    private func starts(
        of capture: PreparedCapture, _ plan: Plan, _ device: CaptureDevice
    ) throws(CaptureError) -> StartUncertainty? {
        guard plan.maxSpread != nil,
            let known = device.startUncertainty(of: capture, within: clock.estimate.boundNanoseconds)
        else { return nil }
        if let objection = plan.objection(toStartsWithin: known.best, of: name) { throw objection }
        return known
    }

    /// The settings that the other nodes may be told to use as well.
    private func settled(_ plan: Plan, _ device: CaptureDevice) async throws -> SharedSettings {
        guard plan.sharesSettings else { return SharedSettings() }
        var settled = SharedSettings(
            exposure: try await device.settledExposure(), whiteBalance: device.properties.value.whiteBalance)
        if case .greyCard(let node) = plan.whiteBalance, node == name {
            let gains = try await device.grayWorldDeviceWhiteBalanceGains()
            settled.whiteBalance = .gains(gains.times(device.properties.value.whiteBalance))
        }
        return settled
    }

    func fire(_ id: UniqueID, _ time: MonotonicTime, _ stepOffsets: [Int64]) {
        guard let capture = prepared.removeValue(forKey: id) else {
            let error = CaptureError(.deviceWasDisconnected, "The camera was lost between prepare and fire.")
            return take(.fireFailed(id, error))
        }
        do throws(CaptureSettingsError) {
            let events = try output.fire(capture, at: time, stepOffsets: stepOffsets)
            Failpoint.captureFired.pass()
            let pause = Duration.nanoseconds(min(time - now, Self.quiet))
            Task {
                try? await Task.sleep(for: pause)
                await self.deliver(id, events)
            }
        } catch {
            take(.fireFailed(id, CaptureError(.unsupportedSettings, error.message)))
        }
    }

    /// Hands on each event, with its photo's file, in the order in which they come.
    private func deliver(_ id: UniqueID, _ events: PhotoCaptureEvents) async {
        for await timed in events {
            var captured = NodeMachine.CapturedEvent(uniqueID: id, kind: timed.event.kind, time: timed.time)
            var file: SpoolQueue.File?
            switch timed.event {
            case .willBeginCapture(let settings):
                captured.resolvedSettings = settings
            case .willCapturePhoto(_, let count), .didCapturePhoto(_, let count):
                captured.sequenceCount = count
            case .didFinishProcessingPhoto(let photo):
                captured.sequenceCount = photo.record.sequenceCount
                captured.photo = photo.record
                file = photo.fileData.map {
                    SpoolQueue.File(bytes: $0, dimensions: photo.dimensions, imageUniqueID: photo.imageUniqueID)
                }
            case .didFinishCapture(_, let error):
                captured.error = error
                unshiftGrid(after: id)
            }
            handle(.delivered(SpoolQueue.Delivery(event: captured, file: file)))
        }
    }
}

extension CaptureError {
    /// Why a photo cannot be sent: it is gone for good, or cannot be read now.
    package init(reading error: SystemError) {
        if error.errno == ENOENT {
            self.init(.storageFailed, "The node's spool no longer has the photo: \(error)")
        } else {
            self.init(.transferFailed, "The node cannot read the photo: \(error)")
        }
    }

    /// Why a preparation failed, in the form that is recorded.
    init(preparing error: any Error) {
        if let error = error as? CaptureError {
            self = error
        } else if let error = error as? CaptureSettingsError {
            self.init(.unsupportedSettings, error.message)
        } else {
            self.init(.storageFailed, "\(error)")
        }
    }
}
