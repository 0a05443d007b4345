/// A format that a camera delivers. Apple: `AVCaptureDevice.Format`.
package struct CameraFormat: Hashable, Sendable, Codable {
    /// The four-character code.
    package var pixelFormat: String
    package var dimensions: Dimensions
    /// The times from frame to frame on offer, in nanoseconds, shortest first; empty where the driver has no say.
    package var frameDurations: [Int64]

    package init(pixelFormat: String, dimensions: Dimensions, frameDurations: [Int64]) {
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameDurations = frameDurations
    }
}
