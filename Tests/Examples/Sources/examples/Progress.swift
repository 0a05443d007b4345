import PhotoCapture

/// The life of a capture, callback by callback. Apple: "Tracking Photo Capture Progress".
func followProgress(of output: PhotoOutput) async throws {
    let settings = PhotoBracketSettings(bracketedSettings: try .burst(3))
    // The shutter button is busy before the request has reached the output.
    let readiness = PhotoOutputReadinessCoordinator(photoOutput: output)
    try readiness.startTrackingCaptureRequest(using: settings)
    try expect(readiness.captureReadiness.value != .ready, "a request that is tracked is not served at once")

    let prepared = try await output.prepare(settings)
    print("owes \(prepared.resolvedSettings.expectedPhotoCount) photos of \(prepared.resolvedSettings.photoDimensions)")
    var (exposed, delivered) = (0, 0)
    for await timed in try output.fire(prepared) {
        switch timed.event {
        case .willBeginCapture(let resolved):
            try expect(resolved.uniqueID == settings.uniqueID, "every callback names its request")
        case .willCapturePhoto(_, let count): print("exposing \(count)")
        case .didCapturePhoto: exposed += 1
        case .didFinishProcessingPhoto(let photo):
            delivered += 1
            try expect(photo.record.error == nil, "the photo is there")
        case .didFinishCapture(_, let error):
            try expect(error == nil && exposed == 3 && delivered == 3, "nothing is missing at the end")
        }
    }
}
