package import CaptureModel

/// A photo, wherever a document has one. What it is of, and when, stands only where it is not in a capture's document.
package struct PhotoDocument: Codable, Sendable {
    /// What was asked for, in force, or shown by the picture.
    package struct Setting: Codable, Sendable {
        /// The bias on the metered exposure.
        package var exposureTargetBiasEV: Double?
        /// How long each line was exposed.
        package var durationNanoseconds: Int64?
        /// The sensitivity, or the driver's own gain; the lens, 0 nearest to 1 furthest.
        package var iso, gain, lensPosition: Double?
        /// As a temperature with its tint, or as gains.
        package var whiteBalance: WhiteBalanceDocument?
    }

    /// The capture's identity, session and time of acceptance.
    package var uniqueID: UniqueID?
    /// The capture's session.
    package var session: String?
    /// When it was accepted.
    package var createdAt: WallTime?
    /// The name of the node; nil where a board took it by itself.
    package var node: NodeName?
    /// Which of its node's photos it is, and of which step, each from 1.
    package var photoCount, sequenceCount: Int
    /// The kind of file.
    package var format: PhotoFormat
    /// Where it stands; nil where a board took it by itself and did not keep it.
    package var state: PhotoState?
    /// Where it is, in the library or in its trash, relative to the library.
    package var path, trashPath: String?
    /// When it was deleted.
    package var deletedAt: WallTime?
    /// The size of its file.
    package var byteCount: Int?
    /// In hexadecimal digits.
    package var sha256: String?
    /// In pixels.
    package var width, height: Int?
    /// The EXIF ImageUniqueID.
    package var imageUniqueID: String?
    /// What was asked for.
    package var requested: Setting
    /// What the camera was set to for its frame, and what the driver or the picture shows.
    package var applied, verified: Setting?
    /// `verified`, `mismatch` or `unverifiable`.
    package var verification, verificationReason: String?
    /// The picture's mean, linear, as a share of saturation.
    package var brightness: Double?
    /// What was known of the camera when it was judged.
    package var profile: String?
    /// The driver's number of its frame.
    package var frameSequence: UInt32?
    /// When the exposure began, in rig time and on the wall's clock.
    package var exposureStartRigTimeNanoseconds: Int64?
    /// By its node's own clock, in what is told as it happens.
    package var exposureStartNodeTimeNanoseconds: Int64?
    /// The same in UTC.
    package var exposureStartAt: WallTime?
    /// The start is within this, surely; without rig time by its node's own clock.
    package var exposureStartUncertaintyNanoseconds: Int64?
    /// What the frame's stamp told of.
    package var exposureStartSource: String?
    /// The capture in which one lamp has shown its camera's starts.
    package var startLamp: UniqueID?
    /// How well its start is known against the others that the lamp has shown.
    package var startLampUncertaintyNanoseconds: Int64?
    /// What went wrong.
    package var error: CaptureError?
    /// 1 to 5; nil where nobody has rated it.
    package var rating: Int?
    /// True where it is not to be used.
    package var isRejected: Bool?
    /// What somebody wrote about it.
    package var note: String?

    /// - Parameter timeline: by which rig time is told in UTC; nil where that is not known.
    package init(_ photo: StoredPhoto, _ timeline: UTCTimeline?) {
        self.init(photo.record, of: photo.node, timeline)
        (path, trashPath, deletedAt) = (photo.path, photo.trashPath, photo.deletedAt.map { WallTime($0) })
        state = photo.state
        (rating, isRejected, note) = (photo.rating, photo.isRejected, photo.note)
    }

    package init(_ found: FoundPhoto) {
        self.init(found.photo, found.timeline)
        (uniqueID, session, createdAt) = (found.uniqueID, found.session, WallTime(found.createdAt))
    }

    /// A photo as its node reports it.
    package init(_ record: PhotoRecord, of node: NodeName?, _ timeline: UTCTimeline?) {
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
        exposureStartAt = timeline?.wallTime(of: record.exposureStartRigTime)
        // A board by itself has no rig time; how well its own is known is said all the same.
        let own = record.exposureStartRigTime == nil ? record.exposureStart : nil
        exposureStartUncertaintyNanoseconds = record.exposureStartUncertaintyNanoseconds ?? own?.uncertaintyNanoseconds
        exposureStartSource = (record.exposureStartSource ?? own?.source)?.rawValue
        let relative = record.exposureStartRelative ?? own?.relative
        (startLamp, startLampUncertaintyNanoseconds) = (relative?.lamp, relative?.nanoseconds)
        error = record.error
    }
}

/// A white balance: a temperature with its tint, or gains.
package struct WhiteBalanceDocument: Codable, Sendable {
    /// Where it was set by temperature.
    package var temperatureKelvin, tint: Double?
    /// Where it was set by gains.
    package var red, green, blue: Double?

    package init(_ white: WhiteBalance) {
        switch white {
        case .temperatureAndTint(let white): (temperatureKelvin, tint) = (white.temperature, white.tint)
        case .gains(let gains): (red, green, blue) = (gains.red, gains.green, gains.blue)
        }
    }
}

extension UTCTimeline {
    /// An instant of rig time on the wall's clock.
    func wallTime(of time: RigTime?) -> WallTime? { time.map { WallTime(utc(of: $0)) } }
}
