package import CaptureModel
import RigClock
package import RigProtocol

/// A node of the rig.
package struct NodeDocument: Codable, Sendable {
    /// For people, and for others to name it by.
    package var name: NodeName
    /// Where it stands.
    package var state: String
    /// What is wrong with it, and the release of its program.
    package var problem, software: String?
    /// The rig's groups that it is in.
    package var groups: [String]?
    /// When it was last heard of, in rig time.
    package var lastSeenRigTimeNanoseconds: Int64?
    /// The camera that took the part.
    package var camera: CameraDescription?
    /// What it knows of rig time.
    package var clock: ClockDocument?

    package init(_ node: NodeSummary) {
        (name, state, problem) = (node.name, node.state.rawValue, node.problem)
        (software, groups) = (node.software, node.groups)
        lastSeenRigTimeNanoseconds = node.lastSeen?.nanoseconds
        camera = node.capabilities.map { CameraDescription($0) }
        clock = node.clock.map { ClockDocument($0) }
    }
}

/// What a camera is, and what it can do.
package struct CameraDescription: Codable, Sendable {
    /// The least and the greatest value.
    package struct Range: Codable, Sendable {
        /// Both inclusive.
        package var least, greatest: Double

        init(_ range: ClosedRange<Double>) { (least, greatest) = (range.lowerBound, range.upperBound) }
        init(_ range: ClosedRange<Int64>) { (least, greatest) = (Double(range.lowerBound), Double(range.upperBound)) }
    }

    /// What it is called.
    package var cameraID, modelID, manufacturer: String
    /// Nil where the device has none.
    package var serialNumber: String?
    /// The active format's four-character code.
    package var pixelFormat: String
    /// In pixels.
    package var width, height: Int
    /// From frame to frame.
    package var frameDurationNanoseconds: Int64
    /// Nil where it cannot be set.
    package var frameDurationRangeNanoseconds: Range?
    /// By how much later the last line begins than the first.
    package var readoutNanoseconds: Int64?
    /// The files that it can deliver.
    package var formats: [PhotoFormat]
    /// What can be asked for; nil for what cannot be set.
    package var exposureDurationRangeNanoseconds, isoRange, gainRange, exposureTargetBiasRangeEV: Range?
    /// What is known of its lens.
    package var lens: LensDocument?
    /// What it has.
    package var canSetLensPosition, hasAutoFocus, hasAutoExposure, canSetWhiteBalance: Bool
    /// The most steps of a bracket.
    package var maxBracketedCapturePhotoCount: Int
    /// Why it cannot do what others can.
    package var limitations: [String]

    package init(_ camera: CameraCapabilities) {
        (cameraID, modelID, manufacturer) = (camera.cameraID, camera.modelID, camera.manufacturer)
        (serialNumber, pixelFormat) = (camera.serialNumber, camera.pixelFormat)
        (width, height) = (camera.dimensions.width, camera.dimensions.height)
        frameDurationNanoseconds = camera.frameDurationNanoseconds
        frameDurationRangeNanoseconds = camera.frameDurationRange.map { Range($0) }
        (readoutNanoseconds, formats) = (camera.readoutNanoseconds, camera.formats)
        exposureDurationRangeNanoseconds = camera.exposureDurationRange.map {
            Range($0.lowerBound.nanoseconds...$0.upperBound.nanoseconds)
        }
        (isoRange, gainRange) = (camera.isoRange.map { Range($0) }, camera.gainRange.map { Range($0) })
        exposureTargetBiasRangeEV = camera.exposureTargetBiasRange.map { Range($0) }
        (canSetLensPosition, hasAutoFocus) = (camera.canSetLensPosition, camera.hasAutoFocus)
        (hasAutoExposure, canSetWhiteBalance) = (camera.hasAutoExposure, camera.whiteBalance.canBeSet)
        lens = camera.lens.map { LensDocument($0) }
        (maxBracketedCapturePhotoCount, limitations) = (camera.maxBracketedCapturePhotoCount, camera.limitations)
    }
}

/// What is known of a lens.
package struct LensDocument: Codable, Sendable {
    /// The focal length over the aperture's diameter.
    package var fNumber: Double?
    /// Its own, and the one with the same diagonal view on 35 mm film.
    package var focalLengthMillimetres, focalLengthIn35mmFilmMillimetres: Double?
    /// The lens's name.
    package var model: String?

    init(_ lens: Lens) {
        (fNumber, model) = (lens.fNumber, lens.model)
        (focalLengthMillimetres, focalLengthIn35mmFilmMillimetres) = (lens.focalLength, lens.focalLengthIn35mmFilm)
    }
}

/// How well a node knew rig time.
package struct ClockDocument: Codable, Sendable {
    /// Round trips of probes.
    package struct Probes: Codable, Sendable {
        /// How many there were, and how often the estimate began anew.
        package var count, restarts: Int
        /// How long they took.
        package var shortestNanoseconds, medianNanoseconds, longestNanoseconds: Int64
    }

    /// Chrony's words: unavailable, calibrating, active, freeRun.
    package var status: String
    /// Rig time minus the node's clock, and how far that can be from the truth.
    package var offsetNanoseconds, boundNanoseconds: Int64
    /// How fast the offset grows.
    package var ratePartsPerMillion: Double
    /// When that was, by the node's clock.
    package var asOfNodeTimeNanoseconds: Int64
    /// How late the camera's frames begin on the rig's grid.
    package var phaseNanoseconds: Int64?
    /// What was measured.
    package var probes: Probes

    package init(_ report: ClockReport) {
        let (estimate, probes) = (report.estimate, report.probes)
        status = estimate.status.rawValue
        (offsetNanoseconds, boundNanoseconds) = (estimate.offsetNanoseconds, estimate.boundNanoseconds)
        (ratePartsPerMillion, asOfNodeTimeNanoseconds) = (estimate.rate * 1e6, estimate.asOf.nanoseconds)
        phaseNanoseconds = report.phaseNanoseconds
        self.probes = Probes(
            count: probes.count, restarts: probes.restarts, shortestNanoseconds: probes.shortest,
            medianNanoseconds: probes.median, longestNanoseconds: probes.longest)
    }
}

/// What a node reported of its clock, oldest first.
package struct ClocksDocument: Codable, Sendable {
    /// The name of the node.
    package var node: NodeName
    /// One a second.
    package var reports: [ClockDocument]

    package init(_ history: ClocksReply.History) {
        (node, reports) = (history.node, history.reports.map { ClockDocument($0) })
    }
}

/// A line of `volley watch --jsonl`.
package struct NoticeDocument: Codable, Sendable {
    /// `eventNotice`, `captureNotice` or `nodeNotice`.
    package var type: String
    /// Its number, and that of the news before it.
    package var number, previous: Int64
    /// The same in UTC.
    package var at: WallTime
    /// The capture's identity.
    package var uniqueID: UniqueID?
    /// Of an event.
    package var event: EventDocument?
    /// The photo that the event reports.
    package var photo: PhotoDocument?
    /// Where it stands.
    package var state: CaptureState?
    /// Why it is not complete.
    package var reason: String?
    /// How far the capture has come.
    package var storedPhotoCount, expectedPhotoCount: Int?
    /// The name of the node.
    package var node: NodeDocument?

    package init(_ notice: Notice) {
        type = Swift.type(of: notice.body).type
        (number, previous) = (notice.number, notice.previous)
        at = WallTime(UTCTime(rawValue: notice.number))
        switch notice {
        case .event(let notice):
            let told = notice.event
            uniqueID = told.uniqueID
            event = EventDocument(told, of: notice.node)
            photo = told.photo.map { PhotoDocument($0, of: notice.node, nil) }
        case .capture(let notice):
            (uniqueID, state, reason) = (notice.uniqueID, notice.state, notice.reason)
            (storedPhotoCount, expectedPhotoCount) = (notice.storedPhotoCount, notice.expectedPhotoCount)
        case .node(let notice): node = NodeDocument(notice.node)
        }
    }
}
