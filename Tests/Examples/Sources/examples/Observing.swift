import PhotoCapture

/// Watches properties as they change; what key-value observing does on Apple's systems.
func observe(_ device: CaptureDevice) async throws {
    guard device.isExposureModeSupported(.custom), device.isExposureModeSupported(.autoExpose) else { return }
    let modes = device.properties.values(of: \.exposureMode)
    try device.lockForConfiguration()
    defer { device.unlockForConfiguration() }
    async let seen = modes.first { $0 == .custom }
    _ = try await device.setExposureModeCustom()
    try expect(await seen == .custom, "a watcher hears of a new mode")
    try await device.setExposureMode(.continuousAutoExposure)
}

/// Every frame, for a preview. Apple: `AVCaptureVideoDataOutput`.
func preview(from session: CaptureSession) async throws {
    let video = VideoDataOutput(poolSize: 2)
    try session.addOutput(video)
    var shown = 0
    for await output in video.frames() {
        switch output {
        case .frame(let frame):
            switch try frame.processedImage() {
            case .jpeg(let bytes): try expect(!bytes.isEmpty, "a frame has a picture")
            case .yuv(let image): try expect(!image.planes[0].isEmpty, "a frame has a picture")
            }
            shown += 1
        case .dropped(let reason, let count): print("\(count) frames missing: \(reason)")
        }
        if shown == 5 { break }
    }
}
