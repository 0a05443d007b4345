/// The kind of file that a photo is delivered as.
package enum PhotoFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// A processed photo, JPEG.
    case jpeg
    /// A RAW photo, the sensor's Bayer samples in a DNG.
    case dng

    /// Whether it holds the sensor's samples rather than a finished picture.
    package var isRaw: Bool { self == .dng }

    /// The ending of its file names, without the dot.
    package var pathExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .dng: "dng"
        }
    }
}

/// Width and height in pixels.
package struct Dimensions: Hashable, Sendable, Codable, CustomStringConvertible {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// What a resolved setting holds for a picture that will not be made.
    package static let zero = Dimensions(width: 0, height: 0)

    package var description: String { "\(width)x\(height)" }
}
