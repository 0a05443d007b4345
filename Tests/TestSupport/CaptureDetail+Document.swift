package import CaptureModel
package import Documents
package import Foundation

// A capture's document has all that the catalogue has of it: tests look at what operators get.

extension CaptureDetail {
    /// The capture in a program's output.
    package init(document: Data) throws {
        try self.init(JSONDecoder().decode(CaptureDocument.self, from: document))
    }

    private init(_ document: CaptureDocument) throws {
        var summary = CaptureSummary(document)
        summary.deletedBy = document.deletedBy
        self.init(
            summary: summary, policy: document.policy ?? "",
            fireRigTime: document.fireRigTimeNanoseconds.map { RigTime(nanoseconds: $0) },
            nodes: (document.nodes ?? []).map { CaptureNodeDetail($0) },
            photos: try (document.photos ?? []).map(StoredPhoto.init(_:)),
            events: try (document.events ?? []).map { event in
                NodeEvent(
                    node: try named(event.node), sequence: event.sequence, kind: event.kind,
                    rigTime: event.rigTimeNanoseconds.map { RigTime(nanoseconds: $0) },
                    sequenceCount: event.sequenceCount, photoCount: event.photoCount, error: event.error)
            },
            spreads: document.spreads ?? [])
        (predictedSpread, maxSpread) = (document.predictedSpreadNanoseconds, document.maxSpreadNanoseconds)
        cancelledBy = document.cancelledBy
    }
}

/// A rig's document names the node of everything.
private func named(_ node: NodeName?) throws -> NodeName {
    guard let node else {
        throw DecodingError.valueNotFound(NodeName.self, .init(codingPath: [], debugDescription: "a node's name"))
    }
    return node
}

extension [CaptureSummary] {
    /// The captures in a program's output.
    package init(documents: Data) throws {
        self = try JSONDecoder().decode([CaptureDocument].self, from: documents).map { CaptureSummary($0) }
    }
}

extension CaptureSummary {
    fileprivate init(_ document: CaptureDocument) {
        self.init(
            uniqueID: document.uniqueID, state: document.state, reason: document.reason, planName: document.planName,
            session: document.session, firedBy: document.firedBy, labels: document.labels,
            createdAt: document.createdAt.time, nodeCount: document.nodeCount,
            expectedPhotoCount: document.expectedPhotoCount, storedPhotoCount: document.storedPhotoCount)
        (subject, take, rating, note) = (document.subject, document.take, document.rating, document.note)
        (isRejected, annotatedAt) = (document.isRejected, document.annotatedAt?.time)
        (deletedAt, deletedBy) = (document.deletedAt?.time, document.deletedBy)
        (deletedPhotoCount, widestSpreadNanoseconds) = (document.deletedPhotoCount, document.widestSpreadNanoseconds)
    }
}

extension CaptureNodeDetail {
    fileprivate init(_ part: CaptureDocument.Part) {
        self.init(
            node: part.node, state: part.state, reason: part.reason, expectedPhotoCount: part.expectedPhotoCount)
        (offset, clockStatus, clockBound) = (part.offsetNanoseconds, part.clockStatus, part.clockBoundNanoseconds)
        camera = part.camera
    }
}

extension StoredPhoto {
    fileprivate init(_ document: PhotoDocument) throws {
        self.init(node: try named(document.node), record: PhotoRecord(document), path: document.path)
        (rating, isRejected, note) = (document.rating, document.isRejected, document.note)
        (deletedAt, trashPath) = (document.deletedAt?.time, document.trashPath)
    }
}

extension PhotoRecord {
    package init(_ document: PhotoDocument) {
        let asked = document.requested
        var requested = ResolvedExposure(
            sequenceCount: document.sequenceCount, exposureTargetBias: asked.exposureTargetBiasEV,
            duration: asked.durationNanoseconds.map { ExposureDuration(nanoseconds: $0) }, iso: asked.iso)
        (requested.gain, requested.lensPosition) = (asked.gain, asked.lensPosition)
        requested.whiteBalance = asked.whiteBalance.flatMap { WhiteBalance($0) }
        self.init(
            photoCount: document.photoCount, sequenceCount: document.sequenceCount, format: document.format,
            requested: requested)
        applied = document.applied.map { Exposure($0) }
        appliedLensPosition = document.applied?.lensPosition
        appliedWhiteBalance = document.applied?.whiteBalance.flatMap { WhiteBalance($0) }
        verified = document.verified.map { Exposure($0) }
        switch document.verification {
        case "verified": verification = .verified
        case "mismatch": verification = .mismatch
        case "unverifiable": verification = .unverifiable(reason: document.verificationReason ?? "")
        default: verification = nil
        }
        (brightness, profile, frameSequence) = (document.brightness, document.profile, document.frameSequence)
        exposureStartRigTime = document.exposureStartRigTimeNanoseconds.map { RigTime(nanoseconds: $0) }
        exposureStartUncertaintyNanoseconds = document.exposureStartUncertaintyNanoseconds
        exposureStartSource = document.exposureStartSource.map { TimestampSource(rawValue: $0) }
        if let lamp = document.startLamp, let nanoseconds = document.startLampUncertaintyNanoseconds {
            exposureStartRelative = RelativeUncertainty(lamp: lamp, nanoseconds: nanoseconds)
        }
        if let byteCount = document.byteCount, let sha256 = document.sha256 {
            file = PhotoFile(
                byteCount: byteCount, sha256: sha256,
                dimensions: Dimensions(width: document.width ?? 0, height: document.height ?? 0),
                imageUniqueID: document.imageUniqueID ?? "")
        }
        error = document.error
    }
}

extension Exposure {
    fileprivate init(_ setting: PhotoDocument.Setting) {
        self.init(
            duration: setting.durationNanoseconds.map { ExposureDuration(nanoseconds: $0) }, iso: setting.iso,
            gain: setting.gain)
    }
}

extension WhiteBalance {
    fileprivate init?(_ white: WhiteBalanceDocument) {
        if let red = white.red, let green = white.green, let blue = white.blue {
            self = .gains(WhiteBalanceGains(red: red, green: green, blue: blue))
        } else if let kelvin = white.temperatureKelvin {
            self = .temperatureAndTint(TemperatureAndTint(temperature: kelvin, tint: white.tint ?? 0))
        } else {
            return nil
        }
    }
}
