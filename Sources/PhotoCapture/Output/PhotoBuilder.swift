import CaptureModel
import PhotoEncoding

/// Makes one photo of one frame.
struct PhotoBuilder: Sendable {
    let software: String
    let calendar: any PhotoCalendar

    func photo(_ frame: JudgedFrame, _ format: PhotoFormat, _ photoCount: Int) -> Photo {
        let (capture, step, info) = (frame.taken.capture, frame.taken.step, frame.taken.info)
        var photo = emptyPhoto(capture, step, format, photoCount)
        photo.record.applied = frame.applied
        photo.record.appliedLensPosition = frame.appliedOthers.lensPosition
        photo.record.appliedWhiteBalance = frame.appliedOthers.whiteBalance
        photo.record.profile = capture.prepared.profile?.fingerprint
        photo.record.verified = frame.verified
        photo.record.verification = frame.verification
        photo.record.brightness = frame.brightness
        photo.record.frameSequence = info.sequence
        // What was set is exact where the picture only confirms it.
        let exposure = info.exposure ?? frame.applied ?? frame.taken.inForce
        let start = info.exposureStart(
            duration: exposure.duration,
            frameDurationNanoseconds: capture.prepared.capabilities.frameDurationNanoseconds,
            readoutNanoseconds: capture.prepared.capabilities.readoutNanoseconds)
        photo.record.exposureStart = start
        let reading = calendar.reading(at: start.time)
        // The catalogue says what the file says, though the clock may be known better a moment later.
        if let rigTime = reading.rigTime { photo.record.tellStart(start, rigTime, within: reading.bound) }
        do {
            let metadata = metadata(for: photo, capture, step, exposure: exposure, takenAt: reading.utc)
            try encode(frame.taken.contents, format, metadata, into: &photo, capture.prepared)
        } catch {
            return failedPhoto(
                capture, step, format, photoCount,
                CaptureError(
                    .encodeFailed, "Exposure \(step + 1) could not be encoded as \(format.rawValue): \(error)"))
        }
        return photo
    }

    func failedPhoto(
        _ capture: ActiveCapture, _ step: Int, _ format: PhotoFormat, _ photoCount: Int, _ error: CaptureError
    ) -> Photo {
        var photo = emptyPhoto(capture, step, format, photoCount)
        photo.record.error = error
        photo.dimensions = .zero
        if error.code == .exposureMismatch { photo.record.verification = .mismatch }
        return photo
    }

    private func emptyPhoto(
        _ capture: ActiveCapture, _ step: Int, _ format: PhotoFormat, _ photoCount: Int
    ) -> Photo {
        let resolved = capture.prepared.steps[step].resolved
        let record = PhotoRecord(
            photoCount: photoCount, sequenceCount: resolved.sequenceCount, format: format, requested: resolved)
        let digits = (0..<2).map { _ in
            let hex = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }
        return Photo(
            record: record, fileData: nil, dimensions: capture.prepared.capabilities.dimensions,
            imageUniqueID: digits.joined(), resolvedSettings: capture.prepared.resolvedSettings)
    }

    private func metadata(
        for photo: Photo, _ capture: ActiveCapture, _ step: Int, exposure: Exposure?, takenAt: UTCTime
    ) -> PhotoMetadata {
        let resolved = capture.prepared.steps[step].resolved
        let camera = capture.prepared.capabilities
        let kind = capture.prepared.settings.bracket?.kind
        var metadata = PhotoMetadata(
            make: camera.manufacturer, model: camera.modelID,
            bodySerialNumber: camera.serialNumber, software: software,
            takenAt: takenAt, exposure: exposure ?? Exposure(),
            exposureBias: resolved.exposureTargetBias, isBracketed: kind == .autoExposure || kind == .manualExposure,
            captureID: capture.uniqueID, sequenceCount: resolved.sequenceCount, imageUniqueID: photo.imageUniqueID)
        metadata.lens = camera.lens
        metadata.orientation = camera.orientation ?? .up
        metadata.takenAtUncertaintyNanoseconds = photo.record.exposureStartUncertaintyNanoseconds
        metadata.requested = Exposure(duration: resolved.duration, iso: resolved.iso, gain: resolved.gain)
        (metadata.applied, metadata.verified) = (photo.record.applied, photo.record.verified)
        metadata.verification = photo.record.verification
        metadata.tags = capture.prepared.settings.photo.tags
        switch capture.prepared.steps[step].values.whiteBalance {
        case .gains(let gains): metadata.whiteBalanceGains = gains
        case .temperatureAndTint(let white): metadata.whiteBalanceGains = WhiteBalanceGains(white.chromaticity)
        case nil: break
        }
        return metadata
    }

    private func encode(
        _ contents: any FrameContents, _ format: PhotoFormat, _ metadata: PhotoMetadata, into photo: inout Photo,
        _ prepared: PreparedCapture
    ) throws {
        switch format {
        case .dng:
            let raw = try contents.rawImage()
            photo.fileData = try DNGEncoder.encode(raw, metadata: metadata)
            // A processed photo of the same exposure brings its own.
            guard prepared.resolvedSettings.photoDimensions == .zero else { return }
            photo.preview = prepared.resolvedSettings.previewDimensions.map {
                DNGEncoder.preview(of: raw, metadata: metadata, into: $0)
            }
        case .jpeg:
            let settings = prepared.settings.photo
            let picture = try contents.processedImage()
            photo.preview = try settings.previewPhotoDimensions.map { try SmallPicture.make(of: picture, into: $0) }
            let thumbnail = try settings.embeddedThumbnailPhotoDimensions.map {
                try SmallPicture.make(of: picture, into: $0)
            }
            photo.fileData = try JPEGFile.assemble(
                try compressed(picture, settings.photoQualityPrioritization), metadata: metadata,
                dimensions: prepared.capabilities.dimensions, thumbnail: thumbnail)
        case .tiff:
            photo.preview = try prepared.settings.photo.previewPhotoDimensions.map {
                try SmallPicture.make(of: contents.processedImage(), into: $0)
            }
            photo.fileData = try TIFFEncoder.encode(contents.rasterImage(), metadata: metadata)
        }
    }

    /// A camera's own JPEG stays as it is: encoding it again would only lose quality.
    private func compressed(
        _ picture: ProcessedImage, _ prioritization: PhotoQualityPrioritization
    ) throws -> [UInt8] {
        switch picture {
        case .jpeg(let bytes): bytes
        case .yuv(let image): try JPEGEncoder.encode(image, quality: prioritization.jpegQuality)
        }
    }
}

extension PhotoQualityPrioritization {
    /// On libjpeg's scale.
    fileprivate var jpegQuality: Int {
        switch self {
        case .speed: 85
        case .balanced: 92
        case .quality: 97
        }
    }
}
