package import CaptureModel

/// How large a preview is.
package enum PreviewSize: String, Codable, Hashable, Sendable, CaseIterable {
    /// For a page with all cameras.
    case tile
    /// For one camera that somebody aims.
    case large

    /// What its picture fits into, in pixels.
    package var box: Dimensions {
        switch self {
        case .tile: Dimensions(width: 320, height: 240)
        case .large: Dimensions(width: 1280, height: 1280)
        }
    }
}

/// coordinator -> node, bulk plane: send me what your camera sees. The request is the credit for its answer; while a
/// bracket is exposed, the answer waits for its end.
package struct PreviewRequest: WireMessage, Hashable {
    package static let type = "previewRequest"
    /// How large the picture is to be.
    package var size: PreviewSize

    package init(size: PreviewSize) { self.size = size }
}

/// node -> coordinator, bulk plane: a frame that came after it was asked for, whose bytes, a JPEG, are the second
/// message frame.
package struct Preview: WireMessage, Hashable {
    package static let type = "preview"
    /// As in the request.
    package var size: PreviewSize
    /// Of the camera's frame, in pixels; the picture is as large or smaller.
    package var dimensions: Dimensions?
    /// What the frame was exposed with, as far as is known.
    package var exposure: Exposure?
    /// Who chose that; nil where it is not known.
    package var exposureMode: ExposureMode?
    /// Why there is no picture; nil where there is one.
    package var error: CaptureError?

    package init(
        size: PreviewSize, dimensions: Dimensions? = nil, exposure: Exposure? = nil,
        exposureMode: ExposureMode? = nil, error: CaptureError? = nil
    ) {
        self.exposureMode = exposureMode
        (self.size, self.dimensions, self.exposure, self.error) = (size, dimensions, exposure, error)
    }
}
