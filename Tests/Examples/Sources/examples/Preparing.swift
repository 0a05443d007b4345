import PhotoCapture

/// Says what will be captured, so that memory is there and the camera is known when it is.
///
/// Apple: `setPreparedPhotoSettingsArray(_:completionHandler:)`.
func prepareAhead(_ output: PhotoOutput) async throws {
    let worst = PhotoBracketSettings(bracketedSettings: try .burst(output.maxBracketedCapturePhotoCount))
    let isReady = try await output.setPreparedPhotoSettings([worst])
    try expect(isReady && output.preparedPhotoSettings.count == 1, "the largest bracket is prepared for")
    // The same request again has a new identity: settings are used once.
    let album = Album()
    try await output.capturePhoto(with: PhotoBracketSettings(bracketedSettings: try .burst(2)), delegate: album)
    try expect(await album.photos.count == 2, "what is smaller than what was prepared is captured as well")
    // An empty array gives the memory back.
    _ = try await output.setPreparedPhotoSettings([])
}
