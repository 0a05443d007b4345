package import CaptureModel

/// What is known about a frame besides its picture.
package struct FrameInfo: Hashable, Sendable {
    /// Counts frames, lost ones included; wraps.
    package var sequence: UInt32
    /// On CLOCK_MONOTONIC; ``stamp`` says what it marks.
    package var timestamp: MonotonicTime
    /// What ``timestamp`` marks.
    package var stamp: FrameStamp
    /// What was added to the driver's stamp, in nanoseconds; nil for nothing.
    package var correction: Int64?
    /// What a lamp showed about the camera in this mode; nil for nothing.
    package var lamp: LampMeasurement?
    /// How far its stamp is from where the frames before it suggest, in nanoseconds; nil where that is unknown.
    package var lateness: Int64?
    /// The driver flagged the data as broken.
    package var isError: Bool
    /// A later frame is already waiting: what is written now lands later than the number suggests.
    package var isBehind: Bool
    /// What the frame was exposed with, where the driver reports it.
    package var exposure: Exposure?

    package init(
        sequence: UInt32, timestamp: MonotonicTime, stamp: FrameStamp, isError: Bool = false,
        isBehind: Bool = false, exposure: Exposure? = nil
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.stamp = stamp
        self.isError = isError
        self.isBehind = isBehind
        self.exposure = exposure
    }
}

extension FrameInfo {
    /// When its bytes arrived; nil where something better was stamped.
    package var arrival: MonotonicTime? {
        switch stamp {
        case .startOfExposure, .endOfFrame: nil
        case .arrival: timestamp
        case .deviceClock(let stamp): stamp.arrival
        }
    }

    /// When the exposure of the frame began, with the uncertainty that the timestamp's source leaves.
    ///
    /// A stamp of the start of exposure gives it to the microsecond that V4L2 keeps. A stamp of the end of the frame
    /// comes after the exposure and the readout: start = stamp - exposure - readout. An unknown readout is in
    /// (0, frame], and so is an unknown exposure; with a known readout only the interrupt's latency is left open. An
    /// arrival comes after the start, at most by the exposure and what the camera and the bus then take, see
    /// ``longestTransport``. A camera's own clock stamps what somebody has said it does, as well as it is known on the
    /// board's.
    ///
    /// - Parameter readout: from the first line to the last, in nanoseconds; nil where unknown.
    package func exposureStart(
        duration: ExposureDuration?, frameDurationNanoseconds frame: Int64, readoutNanoseconds readout: Int64?
    ) -> ExposureStart {
        let relative = relative(duration, frame)
        func start(_ before: Int64, _ uncertainty: Int64) -> ExposureStart {
            var start = ExposureStart(
                time: timestamp - before, uncertaintyNanoseconds: corrected(uncertainty, relative),
                source: stamp.source, readoutNanoseconds: readout)
            (start.correctionNanoseconds, start.relative) = (correction, relative)
            return start
        }
        /// Anywhere in this span before the stamp.
        func within(_ span: Int64, or more: Int64 = 0) -> ExposureStart { start(span / 2, span - span / 2 + more) }
        return switch (stamp, duration?.nanoseconds) {
        case (.startOfExposure, _): start(0, 1000)
        case (.endOfFrame, .some(let exposure)):
            readout.map { start(exposure + $0, Self.interruptLatency) } ?? start(exposure + frame / 2, frame / 2)
        case (.endOfFrame, .none): start(frame, frame)
        case (.arrival, let exposure): within(Self.longestArrival(exposure ?? frame, frame))
        case (.deviceClock(let stamp), let exposure):
            switch (stamp.moment, exposure) {
            case (.startOfExposure, _): start(0, stamp.uncertaintyNanoseconds)
            case (.endOfExposure, .some(let told)) where self.exposure?.duration != nil:
                start(told, stamp.uncertaintyNanoseconds)
            case (.endOfExposure, let asked):
                // A camera may have clamped it, and not said so.
                within(max(asked ?? frame, frame), or: stamp.uncertaintyNanoseconds)
            }
        }
    }

    /// How well the start is known against other cameras, where a lamp has shown it.
    ///
    /// What was seen at one exposure holds for that one: at another, an arrival may have kept its distance from the
    /// start of the exposure, or from its end. A frame that was held up on its way is less well known by as much.
    private func relative(_ duration: ExposureDuration?, _ frame: Int64) -> RelativeUncertainty? {
        guard let lamp, let duration, let lateness else { return nil }
        var known = lamp.uncertaintyNanoseconds + abs(lateness)
        switch stamp {
        case .startOfExposure, .endOfFrame: break
        case .arrival:
            let (here, there) = (duration.nanoseconds, lamp.exposureDuration.nanoseconds)
            known += abs(Self.longestArrival(here, frame) - Self.longestArrival(there, frame)) / 2
        case .deviceClock(let stamp):
            // Both then and now, the clock may have been off to either side.
            known += 2 * stamp.uncertaintyNanoseconds
            if stamp.moment == .endOfExposure {
                known += abs(duration.nanoseconds - lamp.exposureDuration.nanoseconds)
            }
        }
        return RelativeUncertainty(lamp: lamp.capture, nanoseconds: known)
    }

    /// How well a start is known on its own once its stamp was corrected, in nanoseconds: the correction aligns it with
    /// the camera that all were measured against, which may be off itself.
    private func corrected(_ uncertainty: Int64, _ relative: RelativeUncertainty?) -> Int64 {
        let own = uncertainty + abs(correction ?? 0)
        guard let lamp, let relative else { return own }
        return min(own, lamp.referenceUncertaintyNanoseconds + relative.nanoseconds)
    }

    /// The instant by which frames count as early or late against others: the exposure's start as well as it is known,
    /// but at a constant distance from an arrival, since frames arrive at their pace however long they are exposed.
    package func pace(
        duration: ExposureDuration?, frameDurationNanoseconds frame: Int64, readoutNanoseconds readout: Int64?
    ) -> MonotonicTime {
        switch stamp {
        case .startOfExposure, .endOfFrame:
            exposureStart(duration: duration, frameDurationNanoseconds: frame, readoutNanoseconds: readout).time
        case .arrival: timestamp - (frame + Self.longestTransport(frame)) / 2
        // A camera's clock is not known at all times, and no frame should jump because of that.
        case .deviceClock(let stamp): stamp.arrival - (frame + Self.longestTransport(frame)) / 2
        }
    }

    /// The most that a stamp comes after its frame's last byte, on a board that is not overloaded, in nanoseconds.
    private static let interruptLatency = Int64.milliseconds(1)

    /// From the start of an exposure to its arrival, at most, in nanoseconds.
    private static func longestArrival(_ exposure: Int64, _ frame: Int64) -> Int64 {
        exposure + longestTransport(max(frame, exposure))
    }

    /// From the end of an exposure to the arrival of its first bytes, at most, in nanoseconds: readout, encoding, and the
    /// camera's own queue.
    ///
    /// UVC cameras were measured at 6 ms (120 frames a second) and at 36, 128 and 150 ms (30) from the start to the
    /// arrival (pupil-labs/pupil issue 152, ros-drivers/usb_cam issue 75): up to four frames and some. This leaves room.
    private static func longestTransport(_ frame: Int64) -> Int64 { 4 * frame + .milliseconds(40) }
}
