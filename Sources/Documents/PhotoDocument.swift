package import CaptureModel

/// A photo, wherever a document has one. What it is of, and when, stands only where it is not in a capture's document.
package struct PhotoDocument: Codable, Sendable {
    /// What was asked for, in force, or shown by the picture.
    package struct Setting: Codable, Sendable {
        package var exposureTargetBiasEV: Double?
        package var durationNanoseconds: Int64?
        package var iso, gain, lensPosition: Double?
        package var whiteBalance: WhiteBalanceDocument?
    }

    /// The capture's identity, session and time of acceptance.
    package var uniqueID: UniqueID?
    package var session: String?
    package var createdAt: WallTime?
    package var node: NodeName
    package var photoCount, sequenceCount: Int
    package var format: PhotoFormat
    package var state: PhotoState
    package var path, trashPath: String?
    package var deletedAt: WallTime?
    package var byteCount: Int?
    package var sha256: String?
    package var width, height: Int?
    package var imageUniqueID: String?
    package var requested: Setting
    package var applied, verified: Setting?
    /// `verified`, `mismatch` or `unverifiable`.
    package var verification, verificationReason: String?
    package var brightness: Double?
    package var profile: String?
    package var frameSequence: UInt32?
    /// When the exposure began, in rig time and on the wall's clock.
    package var exposureStartRigTimeNanoseconds: Int64?
    /// By its node's own clock, in what is told as it happens.
    package var exposureStartNodeTimeNanoseconds: Int64?
    package var exposureStartAt: WallTime?
    package var exposureStartUncertaintyNanoseconds: Int64?
    package var exposureStartSource: String?
    package var startLamp: UniqueID?
    package var startLampUncertaintyNanoseconds: Int64?
    package var error: CaptureError?
    package var rating: Int?
    package var isRejected: Bool?
    package var note: String?

    /// - Parameter anchor: by which rig time is told in UTC; nil where that is not known.
    package init(_ photo: StoredPhoto, _ anchor: Moment?) {
        self.init(photo.record, of: photo.node, anchor)
        (path, trashPath, deletedAt) = (photo.path, photo.trashPath, photo.deletedAt.map { WallTime($0) })
        state = photo.state
        (rating, isRejected, note) = (photo.rating, photo.isRejected, photo.note)
    }

    package init(_ found: FoundPhoto) {
        self.init(found.photo, found.anchor)
        (uniqueID, session, createdAt) = (found.uniqueID, found.session, WallTime(found.createdAt))
    }

    /// A photo as its node reports it.
    package init(_ record: PhotoRecord, of node: NodeName, _ anchor: Moment?) {
        self.node = node
        (photoCount, sequenceCount, format) = (record.photoCount, record.sequenceCount, record.format)
        state = record.error == nil ? .pending : .failed
        if let file = record.file {
            (byteCount, sha256, imageUniqueID) = (file.byteCount, file.sha256, file.imageUniqueID)
            (width, height) = (file.dimensions.width, file.dimensions.height)
        }
        let asked = record.requested
        requested = Setting(
            exposureTargetBiasEV: asked.exposureTargetBias, durationNanoseconds: asked.duration?.nanoseconds,
            iso: asked.iso, gain: asked.gain, lensPosition: asked.lensPosition,
            whiteBalance: asked.whiteBalance.map { WhiteBalanceDocument($0) })
        applied = record.applied.map { exposure in
            Setting(
                durationNanoseconds: exposure.duration?.nanoseconds, iso: exposure.iso, gain: exposure.gain,
                lensPosition: record.appliedLensPosition,
                whiteBalance: record.appliedWhiteBalance.map { WhiteBalanceDocument($0) })
        }
        verified = record.verified.map {
            Setting(durationNanoseconds: $0.duration?.nanoseconds, iso: $0.iso, gain: $0.gain)
        }
        (verification, verificationReason) = (record.verification?.name, record.verification?.reason)
        (brightness, profile, frameSequence) = (record.brightness, record.profile, record.frameSequence)
        exposureStartRigTimeNanoseconds = record.exposureStartRigTime?.nanoseconds
        exposureStartNodeTimeNanoseconds = record.exposureStart?.time.nanoseconds
        exposureStartAt = anchor?.wallTime(of: record.exposureStartRigTime)
        exposureStartUncertaintyNanoseconds = record.exposureStartUncertaintyNanoseconds
        exposureStartSource = record.exposureStartSource?.rawValue
        (startLamp, startLampUncertaintyNanoseconds) = (
            record.exposureStartRelative?.lamp, record.exposureStartRelative?.nanoseconds
        )
        error = record.error
    }
}

/// A white balance: a temperature with its tint, or gains.
package struct WhiteBalanceDocument: Codable, Sendable {
    package var temperatureKelvin, tint: Double?
    package var red, green, blue: Double?

    package init(_ white: WhiteBalance) {
        switch white {
        case .temperatureAndTint(let white): (temperatureKelvin, tint) = (white.temperature, white.tint)
        case .gains(let gains): (red, green, blue) = (gains.red, gains.green, gains.blue)
        }
    }
}

extension Moment {
    /// An instant of rig time on the wall's clock.
    func wallTime(of time: RigTime?) -> WallTime? { time.map { WallTime(utc + ($0 - rigTime)) } }
}
