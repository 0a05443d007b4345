import CaptureModel
import Glibc
import PhotoCapture
import PhotoEncoding
import Posix
import RigProtocol

/// What the camera sees, for whoever aims it.
extension NodeService {
    /// libjpeg's scale; a preview is looked at, and not kept.
    private static let quality = 75
    /// How long a camera's stream may take to begin anew.
    private static let restart = Duration.seconds(2)

    /// Answers one request after the other: what is asked for meanwhile waits, and a capture goes before.
    func servePreviews() async {
        while let request = await link.nextPreviewRequest() {
            do {
                let (preview, bytes) = try await preview(request.size)
                link.send(preview, bytes: bytes)
            } catch {
                let error = error as? CaptureError ?? CaptureError(.deviceFailed, "\(error)")
                link.send(Preview(size: request.size, error: error), bytes: [])
            }
        }
    }

    private func preview(_ size: PreviewSize) async throws -> (Preview, [UInt8]) {
        let (device, frame) = try await nextFrame()
        let bytes = try await OSThread.run(name: "preview") {
            // Whatever else the board has to do goes before.
            _ = nice(10)
            let small = try SmallPicture.make(of: try frame.processedImage(), into: size.box)
            return try JPEGFile.oriented(
                try JPEGEncoder.encode(small, quality: Self.quality), device.capabilities.orientation ?? .up)
        }
        let preview = Preview(
            size: size, dimensions: device.capabilities.dimensions, exposure: frame.exposure,
            exposureMode: device.properties.value.exposureMode)
        return (preview, bytes)
    }

    /// A frame that is to come; a camera whose stream begins anew, as on the rig's grid, gets a while to do so.
    private func nextFrame() async throws -> (CaptureDevice, VideoFrame) {
        let end = ContinuousClock.now + Self.restart
        repeat {
            // A bracket has the board to itself; nothing else says when it is over.
            while isFiring { try await Task.sleep(for: .milliseconds(20)) }
            // Before the camera is asked whether it runs, so that the frames end if it stops meanwhile.
            let frames = video.frames(isEndless: false)
            if let device = output.device, device.properties.value.isRunning, let frame = await first(of: frames) {
                return (device, frame)
            }
            // Nothing says when a stream has begun anew, either.
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < end
        throw CaptureError(.deviceNotConnected, "The camera is not connected.")
    }

    /// Nil where the camera stops before there is one.
    private func first(of frames: AsyncStream<VideoDataOutput.Output>) async -> VideoFrame? {
        for await case .frame(let frame) in frames { return frame }
        return nil
    }
}
