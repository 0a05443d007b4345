package import CaptureModel

/// What a camera is set to: a node's, or the board's own.
package struct CameraStateDocument: Codable, Sendable {
    /// The name of the node; nil on the board.
    package var node: NodeName?
    /// What it is and can do.
    package var camera: CameraDescription?
    /// As people see them.
    package var properties: [CameraState.Row]?
    /// As they are now, read back from the driver, and those of them that were set by hand.
    package var settings, kept: CameraSettingsDocument?
    /// Metered brightness above the target.
    package var exposureTargetOffsetEV: Double?
    /// Why what was set by hand is not in force.
    package var problem: String?
    /// Why nothing can be said of it.
    package var error: CaptureError?

    package init(node: NodeName? = nil, _ state: CameraState?, error: CaptureError? = nil) {
        (self.node, self.error) = (node, error)
        (camera, properties) = (state.map { CameraDescription($0.camera) }, state?.rows)
        settings = state.map { CameraSettingsDocument($0.current) }
        kept = (state?.kept).map { CameraSettingsDocument($0) }
        (exposureTargetOffsetEV, problem) = (state?.exposureTargetOffset, state?.problem)
    }
}

/// The properties of a camera that have a value.
package struct CameraSettingsDocument: Codable, Sendable {
    /// What chooses the exposure.
    package var exposureMode: ExposureMode?
    /// How long each line is exposed, and the longest that the automatic may; 0 for the format's own limit.
    package var exposureDurationNanoseconds, activeMaxExposureDurationNanoseconds: Int64?
    /// The sensitivity, or the driver's own gain; the lens, 0 nearest to 1 furthest.
    package var iso, gain, lensPosition: Double?
    /// Moves the target of the automatic.
    package var exposureTargetBiasEV: Double?
    /// Where the automatic meters.
    package var exposurePointOfInterest: Point?
    /// What moves the lens.
    package var focusMode: FocusMode?
    /// The distances that the autofocus searches.
    package var autoFocusRangeRestriction: AutoFocusRangeRestriction?
    /// What chooses the white balance.
    package var whiteBalanceMode: WhiteBalanceMode?
    /// As a temperature with its tint, or as gains.
    package var whiteBalance: WhiteBalanceDocument?
    /// Whether the lens is held still by its stabiliser.
    package var isLensStabilizationOn: Bool?

    init(_ settings: CameraSettings) {
        (exposureMode, focusMode) = (settings.exposureMode, settings.focusMode)
        exposureDurationNanoseconds = settings.exposureDuration?.nanoseconds
        activeMaxExposureDurationNanoseconds = settings.activeMaxExposureDuration?.nanoseconds
        (iso, gain, lensPosition) = (settings.iso, settings.gain, settings.lensPosition)
        exposureTargetBiasEV = settings.exposureTargetBias
        exposurePointOfInterest = settings.exposurePointOfInterest
        autoFocusRangeRestriction = settings.autoFocusRangeRestriction
        whiteBalanceMode = settings.whiteBalanceMode
        whiteBalance = settings.whiteBalance.map { WhiteBalanceDocument($0) }
        isLensStabilizationOn = settings.isLensStabilizationOn
    }
}

/// A camera that is plugged into a board.
package struct PluggedCameraDocument: Codable, Sendable {
    /// A format of its frames.
    package struct Format: Codable, Sendable {
        /// The four-character code.
        package var pixelFormat: String
        /// In pixels.
        package var width, height: Int
        /// Shortest first; none where the driver lists none.
        package var frameDurationsNanoseconds: [Int64]

        init(_ format: CameraFormat) {
            (pixelFormat, frameDurationsNanoseconds) = (format.pixelFormat, format.frameDurations)
            (width, height) = (format.dimensions.width, format.dimensions.height)
        }
    }

    /// After how many frames its controls act.
    package struct Delays: Codable, Sendable {
        /// In frames, by control.
        package var exposureDurationFrames, gainFrames: Int
        /// `known` of such cameras, or `calibrated`.
        package var source: String

        package init(exposureDurationFrames: Int, gainFrames: Int, source: String) {
            self.exposureDurationFrames = exposureDurationFrames
            (self.gainFrames, self.source) = (gainFrames, source)
        }
    }

    /// What to call it: `simulated:7`, `v4l2:/dev/video0`.
    package var path: String
    /// What it is and can do.
    package var camera: CameraDescription?
    /// What it can be told to deliver.
    package var formats: [Format]
    /// Nil where they have yet to be learned.
    package var delays: Delays?
    /// Why nothing can be said of it.
    package var problem: String?

    package init(
        path: String, camera: CameraCapabilities?, formats: [CameraFormat], delays: Delays?, problem: String? = nil
    ) {
        (self.path, self.delays, self.problem) = (path, delays, problem)
        (self.camera, self.formats) = (camera.map { CameraDescription($0) }, formats.map { Format($0) })
    }
}

/// An event of a capture that a board took by itself.
package struct ShotDocument: Codable, Sendable {
    /// The capture's identity.
    package var uniqueID: UniqueID
    /// What happened.
    package var event: EventDocument
    /// The photo that the event reports.
    package var photo: PhotoDocument?

    /// - Parameter path: where the photo that the event reports was kept; nil where it was not.
    package init(_ event: CaptureEvent, path: String?) {
        uniqueID = event.uniqueID
        self.event = EventDocument(event, of: nil)
        photo = event.photo.map { record in
            var photo = PhotoDocument(record, of: nil, nil)
            photo.state = record.error != nil ? .failed : path == nil ? nil : .stored
            photo.path = record.error == nil ? path : nil
            return photo
        }
    }
}
