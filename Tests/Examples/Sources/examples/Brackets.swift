import PhotoCapture

/// Three exposures, two stops apart, as processed photos and, where the camera has them, as RAW.
///
/// Apple: "Capturing a Bracketed Photo Sequence".
func takeBracket(with output: PhotoOutput) async throws {
    guard output.maxBracketedCapturePhotoCount >= 3 else { return print("this camera has no brackets of three") }
    let formats: [PhotoFormat] = output.availableRawPhotoPixelFormatTypes.isEmpty ? [.jpeg] : [.dng, .jpeg]
    let bracket = try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) })
    let settings = PhotoBracketSettings(formats: formats, bracketedSettings: bracket)

    let album = Album()
    try await output.capturePhoto(with: settings, delegate: album)
    let photos = await album.photos
    try expect(photos.count == settings.expectedPhotoCount, "each exposure is delivered in each format")
    for photo in photos {
        let record = photo.record
        if let error = record.error { throw error }
        print(
            "photo \(record.photoCount) of \(photos.count), exposure \(record.sequenceCount):",
            record.applied.map { "\($0)" } ?? "as it was", "-", record.verification?.name ?? "", "-",
            photo.fileData?.count ?? 0, "bytes")
    }
}

/// Keeps what is delivered. Every callback has an empty default; an actor makes a good delegate.
actor Album: PhotoCaptureDelegate {
    private(set) var photos: [Photo] = []

    func photoOutput(_ output: PhotoOutput, didFinishProcessingPhoto photo: Photo, error: CaptureError?) {
        photos.append(photo)
    }
}
