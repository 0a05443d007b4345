import CaptureModel

/// A finished picture before it is a file.
public enum ProcessedImage: Sendable {
    /// The JPEG that the camera made.
    case jpeg([UInt8])
    case yuv(YUVImage)
}

/// A library's refusal to encode or decode.
package struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call that was refused.
    package let call: String
    /// The library's reason, in its own words where it gives one.
    package let message: String

    package init(call: String, message: String) { (self.call, self.message) = (call, message) }

    package var description: String { "\(call): \(message)" }
}
