package import CaptureModel

/// What the driver says of a frame.
package struct FrameInfo: Hashable, Sendable {
    /// Counts frames, lost ones included; wraps.
    package var sequence: UInt32
    package var timestamp: MonotonicTime
    package var stamp: FrameStamp
    /// What was added to the driver's stamp, in nanoseconds; nil for nothing.
    package var correction: Int64?
    /// What a lamp showed of the camera in this mode; nil for nothing.
    package var lamp: LampMeasurement?
    /// How far its stamp is from where the frames before it lead to expect it, in nanoseconds; nil where that is unknown.
    package var lateness: Int64?
    /// The driver flagged the data as broken.
    package var isError: Bool
    /// A later frame waits already: what is written now lands later than the number says.
    package var isBehind: Bool
    /// What the frame was exposed with, where the driver tells.
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

    /// When the exposure of the frame began, with what the timestamp's source leaves open.
    ///
    /// A stamp of the start of exposure says it to the microsecond that V4L2 keeps. A stamp of the end of the frame
    /// lies after the exposure and the readout: start = stamp - exposure - readout. A readout that is not known is in
    /// (0, frame], and so is an exposure; one that is known leaves the interrupt's way open. An arrival lies after the
    /// start, by the exposure and what the camera and the bus then take at most, see ``longestTransport``. A camera's own
    /// clock says what somebody has said of it, as well as it is known on the board's.
    ///
    /// - Parameter readout: from the first line to the last, in nanoseconds; nil where the camera does not tell.
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
    /// What was seen at one exposure holds for that one: an arrival that comes later after its start at another
    /// exposure may keep the start where it was, or the end. A frame that was held up on its way is known less well by as
    /// much.
    private func relative(_ duration: ExposureDuration?, _ frame: Int64) -> RelativeUncertainty? {
        guard let lamp, let duration, let lateness else { return nil }
        var known = lamp.uncertaintyNanoseconds + abs(lateness)
        switch stamp {
        case .startOfExposure, .endOfFrame: break
        case .arrival:
            let (here, there) = (duration.nanoseconds, lamp.exposureDuration.nanoseconds)
            known += abs(Self.longestArrival(here, frame) - Self.longestArrival(there, frame)) / 2
        case .deviceClock(let stamp):
            // Then and now the clock may have been off to either side.
            known += 2 * stamp.uncertaintyNanoseconds
            if stamp.moment == .endOfExposure {
                known += abs(duration.nanoseconds - lamp.exposureDuration.nanoseconds)
            }
        }
        return RelativeUncertainty(lamp: lamp.capture, nanoseconds: known)
    }

    /// How well a start is known by itself once its stamp was corrected, in nanoseconds: the correction brings it to the
    /// camera that all were measured against, which may be off itself.
    private func corrected(_ uncertainty: Int64, _ relative: RelativeUncertainty?) -> Int64 {
        let own = uncertainty + abs(correction ?? 0)
        guard let lamp, let relative else { return own }
        return min(own, lamp.referenceUncertaintyNanoseconds + relative.nanoseconds)
    }

    /// The instant by which frames are told to be early or late against others: an exposure's start as well as it is
    /// known, but always as far from an arrival, since frames arrive at their pace whatever they are exposed for.
    package func pace(
        duration: ExposureDuration?, frameDurationNanoseconds frame: Int64, readoutNanoseconds readout: Int64?
    ) -> MonotonicTime {
        switch stamp {
        case .startOfExposure, .endOfFrame:
            exposureStart(duration: duration, frameDurationNanoseconds: frame, readoutNanoseconds: readout).time
        case .arrival: timestamp - (frame + Self.longestTransport(frame)) / 2
        // A camera's clock is not known at all times, and no frame is to jump for that.
        case .deviceClock(let stamp): stamp.arrival - (frame + Self.longestTransport(frame)) / 2
        }
    }

    /// From a frame's last byte to its stamp, at most, on a board that is not overloaded, in nanoseconds.
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
