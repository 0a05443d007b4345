package import CaptureModel
import RigClock
package import RigProtocol

/// A node of the rig.
package struct NodeDocument: Codable, Sendable {
    package var name: NodeName
    package var state: String
    package var problem, software: String?
    package var groups: [String]?
    package var lastSeenRigTimeNanoseconds: Int64?
    package var camera: CameraDescription?
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
        package var least, greatest: Double

        init(_ range: ClosedRange<Double>) { (least, greatest) = (range.lowerBound, range.upperBound) }
        init(_ range: ClosedRange<Int64>) { (least, greatest) = (Double(range.lowerBound), Double(range.upperBound)) }
    }

    package var cameraID, modelID, manufacturer: String
    package var serialNumber: String?
    package var pixelFormat: String
    package var width, height: Int
    package var frameDurationNanoseconds: Int64
    package var frameDurationRangeNanoseconds: Range?
    package var readoutNanoseconds: Int64?
    package var formats: [PhotoFormat]
    package var exposureDurationRangeNanoseconds, isoRange, gainRange, exposureTargetBiasRangeEV: Range?
    package var canSetLensPosition, hasAutoFocus, hasAutoExposure, canSetWhiteBalance: Bool
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
        (maxBracketedCapturePhotoCount, limitations) = (camera.maxBracketedCapturePhotoCount, camera.limitations)
    }
}

/// How well a node knew rig time.
package struct ClockDocument: Codable, Sendable {
    /// Round trips of probes.
    package struct Probes: Codable, Sendable {
        package var count, restarts: Int
        package var shortestNanoseconds, medianNanoseconds, longestNanoseconds: Int64
    }

    package var status: String
    package var offsetNanoseconds, boundNanoseconds: Int64
    package var ratePartsPerMillion: Double
    package var asOfNodeTimeNanoseconds: Int64
    package var phaseNanoseconds: Int64?
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
    package var node: NodeName
    package var reports: [ClockDocument]

    package init(_ history: ClocksReply.History) {
        (node, reports) = (history.node, history.reports.map { ClockDocument($0) })
    }
}

/// A line of `volley watch --jsonl`.
package struct NoticeDocument: Codable, Sendable {
    /// `eventNotice`, `captureNotice` or `nodeNotice`.
    package var type: String
    package var number, previous: Int64
    package var at: WallTime
    package var uniqueID: UniqueID?
    package var event: EventDocument?
    package var photo: PhotoDocument?
    package var state: CaptureState?
    package var reason: String?
    package var storedPhotoCount, expectedPhotoCount: Int?
    package var node: NodeDocument?

    package init(_ notice: Notice) {
        type = Swift.type(of: notice.body).type
        (number, previous) = (notice.number, notice.previous)
        at = WallTime(UTCTime(rawValue: notice.number))
        switch notice {
        case .event(let notice):
            let told = notice.event
            uniqueID = told.uniqueID
            event = EventDocument(
                NodeEvent(
                    node: notice.node, sequence: told.sequence, kind: told.kind, rigTime: told.rigTime,
                    sequenceCount: told.sequenceCount, photoCount: told.photo?.photoCount,
                    error: told.error ?? told.photo?.error), nil)
            photo = told.photo.map { PhotoDocument($0, of: notice.node, nil) }
        case .capture(let notice):
            (uniqueID, state, reason) = (notice.uniqueID, notice.state, notice.reason)
            (storedPhotoCount, expectedPhotoCount) = (notice.storedPhotoCount, notice.expectedPhotoCount)
        case .node(let notice): node = NodeDocument(notice.node)
        }
    }
}
