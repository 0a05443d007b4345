/// How a picture is to be turned to stand upright.
///
/// The values are those of EXIF and TIFF (CIPA DC-008, tag 274), the names those of Apple's `CGImagePropertyOrientation`.
public enum PictureOrientation: UInt16, Hashable, Sendable, Codable, CaseIterable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored
    /// By 90 degrees clockwise.
    case right
    case rightMirrored
    /// By 90 degrees counterclockwise.
    case left

    /// - Parameter degrees: clockwise: 0, 90, 180 or 270.
    public init?(rotationAngle degrees: Int) {
        switch degrees {
        case 0: self = .up
        case 90: self = .right
        case 180: self = .down
        case 270: self = .left
        default: return nil
        }
    }

    /// Whether rows become columns.
    public var swapsSides: Bool { rawValue >= PictureOrientation.leftMirrored.rawValue }

    /// The dimensions that a picture has once it is turned, and the other way round.
    public func turned(_ dimensions: Dimensions) -> Dimensions {
        swapsSides ? Dimensions(width: dimensions.height, height: dimensions.width) : dimensions
    }

    /// Where a pixel of the turned picture is in the one that is stored.
    ///
    /// - Parameter stored: the dimensions of that one.
    package func source(x: Int, y: Int, in stored: Dimensions) -> (x: Int, y: Int) {
        let (right, bottom) = (stored.width - 1, stored.height - 1)
        return switch self {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }
}
