import CaptureModel
import PhotoEncoding
import Posix
import Synchronization

/// Encodes the taken frames one after the other, off the camera's thread, and pays the photos that are owed.
final class PhotoProcessor: Sendable {
    private enum Job: Sendable {
        case process(JudgedFrame)
        case fail(ActiveCapture, step: Int, CaptureError)
        case finish(ActiveCapture)
    }

    private let jobs: AsyncStream<Job>.Continuation
    private let worker: Task<Void, Never>

    init(camera: any Camera, software: String, now: @escaping @Sendable () -> MonotonicTime) {
        // Unbounded, but never longer than the brackets that were accepted.
        let (stream, continuation) = AsyncStream<Job>.makeStream()
        jobs = continuation
        let builder = PhotoBuilder(capabilities: camera.capabilities, software: software, now: now)
        worker = Task.detached {
            for await job in stream {
                switch job {
                case .process(let frame):
                    let capture = frame.taken.capture
                    for format in capture.prepared.settings.formats {
                        capture.deliver { builder.photo(frame, format, $0) }
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

    func process(_ frame: JudgedFrame) {
        jobs.yield(.process(frame))
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

    func photo(_ frame: JudgedFrame, _ format: PhotoFormat, _ photoCount: Int) -> Photo {
        let (capture, step, info) = (frame.taken.capture, frame.taken.step, frame.taken.info)
        var photo = emptyPhoto(capture, step, format, photoCount)
        photo.record.applied = frame.applied
        photo.record.verified = frame.verified
        photo.record.verification = frame.verification
        photo.record.frameSequence = info.sequence
        // What was set is exact where the picture only confirms it.
        let exposure = info.exposure ?? frame.applied
        let start = info.exposureStart(
            duration: exposure?.duration, frameDurationNanoseconds: capabilities.frameDurationNanoseconds)
        photo.record.exposureStart = start
        do {
            let metadata = metadata(for: photo, capture, step, exposure: exposure, start)
            photo.fileData = try encode(frame.taken.contents, format, metadata)
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
                picture = bytes
            }
            return try JPEGFile.assemble(picture, metadata: metadata, dimensions: capabilities.dimensions)
        }
    }
}
