import CaptureModel
import PhotoEncoding
import Posix
import Synchronization

/// Encodes the taken frames one after the other, off the camera's thread, and pays the photos that are owed.
final class PhotoProcessor: Sendable {
    private enum Job: Sendable {
        case process(ActiveCapture, step: Int, FrameInfo, any FrameContents)
        case fail(ActiveCapture, step: Int, CaptureError)
        case finish(ActiveCapture)
    }

    private let jobs: AsyncStream<Job>.Continuation
    private let worker: Task<Void, Never>

    init(capabilities: CameraCapabilities, software: String, now: @escaping @Sendable () -> MonotonicTime) {
        // Unbounded, but never longer than the brackets that were accepted.
        let (stream, continuation) = AsyncStream<Job>.makeStream()
        jobs = continuation
        let builder = PhotoBuilder(capabilities: capabilities, software: software, now: now)
        worker = Task.detached {
            for await job in stream {
                switch job {
                case .process(let capture, let step, let info, let contents):
                    for format in capture.prepared.settings.formats {
                        capture.deliver { builder.photo(capture, step, format, $0, info, contents) }
                    }
                case .fail(let capture, let step, let error):
                    for format in capture.prepared.settings.formats {
                        capture.deliver { builder.failedPhoto(capture, step, format, $0, error) }
                    }
                case .finish(let capture):
                    capture.finish()
                }
            }
        }
    }

    deinit {
        jobs.finish()
    }

    func process(_ capture: ActiveCapture, _ step: Int, _ info: FrameInfo, _ contents: any FrameContents) {
        jobs.yield(.process(capture, step: step, info, contents))
    }

    func fail(_ capture: ActiveCapture, _ step: Int, _ error: CaptureError) {
        jobs.yield(.fail(capture, step: step, error))
    }

    func finish(_ capture: ActiveCapture) {
        jobs.yield(.finish(capture))
    }
}

/// Makes one photo of one frame.
private struct PhotoBuilder: Sendable {
    let capabilities: CameraCapabilities
    let software: String
    let now: @Sendable () -> MonotonicTime

    func photo(
        _ capture: ActiveCapture, _ step: Int, _ format: PhotoFormat, _ photoCount: Int, _ info: FrameInfo,
        _ contents: any FrameContents
    ) -> Photo {
        var photo = emptyPhoto(capture, step, format, photoCount)
        let applied = capture.applied.withLock { $0[step] }
        photo.record.applied = applied
        photo.record.verified = info.exposure
        photo.record.verification = verification(wanted: capture.prepared.steps[step].exposure, got: info.exposure)
        photo.record.frameSequence = info.sequence
        let start = info.exposureStart(
            duration: (info.exposure ?? applied)?.duration,
            frameDurationNanoseconds: capabilities.frameDurationNanoseconds)
        photo.record.exposureStart = start
        do {
            let metadata = metadata(for: photo, capture, step, exposure: info.exposure ?? applied, start)
            photo.fileData = try encode(contents, format, metadata)
        } catch {
            return failedPhoto(
                capture, step, format, photoCount,
                CaptureError(
                    .encodeFailed, "Exposure \(step + 1) could not be made into a \(format.rawValue): \(error)"))
        }
        return photo
    }

    func failedPhoto(
        _ capture: ActiveCapture, _ step: Int, _ format: PhotoFormat, _ photoCount: Int, _ error: CaptureError
    ) -> Photo {
        var photo = emptyPhoto(capture, step, format, photoCount)
        photo.record.error = error
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
            record: record, fileData: nil, dimensions: capabilities.dimensions, imageUniqueID: digits.joined(),
            resolvedSettings: capture.prepared.resolvedSettings)
    }

    private func verification(wanted: Exposure?, got: Exposure?) -> Verification {
        guard wanted != nil else { return .unverifiable(reason: "no exposure was asked for") }
        // A frame that does not match never gets here: the machine takes it again or fails it.
        return got == nil
            ? .unverifiable(reason: "the driver does not say what a frame was exposed with") : .verified
    }

    private func metadata(
        for photo: Photo, _ capture: ActiveCapture, _ step: Int, exposure: Exposure?, _ start: ExposureStart
    ) -> PhotoMetadata {
        let ago = now() - start.time
        let resolved = capture.prepared.steps[step].resolved
        let isBracketed = capture.prepared.settings.bracket.map { $0.kind != .burst } ?? false
        return PhotoMetadata(
            make: capabilities.manufacturer, model: capabilities.modelID,
            bodySerialNumber: capabilities.serialNumber ?? capabilities.cameraID, software: software,
            takenAt: Clocks.microsecondsSinceEpoch() - ago / 1000, exposure: exposure ?? Exposure(),
            exposureBias: resolved.exposureTargetBias, isBracketed: isBracketed, captureID: capture.uniqueID,
            sequenceCount: resolved.sequenceCount, imageUniqueID: photo.imageUniqueID)
    }

    private func encode(
        _ contents: any FrameContents, _ format: PhotoFormat, _ metadata: PhotoMetadata
    ) throws -> [UInt8] {
        switch format {
        case .dng:
            return try DNGEncoder.encode(contents.rawImage(), metadata: metadata)
        case .jpeg:
            let picture: [UInt8]
            switch try contents.processedImage() {
            case .yuv(let image):
                picture = try JPEGEncoder.encode(image)
            case .jpeg(let bytes):
                // UVC cameras deliver cut pictures without an error flag; only a full decode tells.
                try JPEGEncoder.verify(bytes, dimensions: capabilities.dimensions)
                picture = bytes
            }
            return try JPEGFile.assemble(picture, metadata: metadata, dimensions: capabilities.dimensions)
        }
    }
}
