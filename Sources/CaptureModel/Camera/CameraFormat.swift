/// A format that a camera delivers. Apple: `AVCaptureDevice.Format`.
public struct CameraFormat: Hashable, Sendable, Codable {
    /// The four-character code.
    public var pixelFormat: String
    /// In pixels.
    public var dimensions: Dimensions
    /// The frame durations on offer, in nanoseconds, shortest first; empty where the driver lists none.
    public var frameDurations: [Int64]

    /// A format by its three parts.
    public init(pixelFormat: String, dimensions: Dimensions, frameDurations: [Int64]) {
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameDurations = frameDurations
    }
}
