public import CaptureModel

/// Full-range planar Y'CbCr (JFIF), as libjpeg takes it.
public struct YUVImage: Sendable {
    /// The resolution of the colour planes.
    public enum Subsampling: Sendable {
        case yuv420, yuv422, grey
    }

    /// Of the luma plane.
    public let dimensions: Dimensions
    /// The resolution of the colour planes.
    public let subsampling: Subsampling
    /// Y, then U and V where there is colour, one after the other; rows without padding, an odd width's last colour
    /// column included.
    public let bytes: [UInt8]

    package init(dimensions: Dimensions, subsampling: Subsampling, bytes: [UInt8]) {
        self.dimensions = dimensions
        self.subsampling = subsampling
        self.bytes = bytes
        precondition(bytes.count == planeRange(subsampling == .grey ? 0 : 2).upperBound, "planes do not fit")
    }

    package init(dimensions: Dimensions, subsampling: Subsampling, planes: [[UInt8]]) {
        self.init(dimensions: dimensions, subsampling: subsampling, bytes: planes.flatMap { $0 })
    }

    /// Copies of the planes, each an array of its own.
    public var planes: [[UInt8]] {
        (0..<(subsampling == .grey ? 1 : 3)).map { Array(bytes[planeRange($0)]) }
    }

    /// The size of a plane: the first is luma, the others are subsampled.
    public func planeSize(_ index: Int) -> Dimensions {
        guard index > 0 else { return dimensions }
        return switch subsampling {
        case .yuv420: Dimensions(width: (dimensions.width + 1) / 2, height: (dimensions.height + 1) / 2)
        case .yuv422: Dimensions(width: (dimensions.width + 1) / 2, height: dimensions.height)
        case .grey: dimensions
        }
    }

    /// Where a plane lies in the bytes.
    public func planeRange(_ index: Int) -> Range<Int> {
        let luma = dimensions.width * dimensions.height
        guard index > 0 else { return 0..<luma }
        let colour = planeSize(1).width * planeSize(1).height
        return luma + (index - 1) * colour..<luma + index * colour
    }
}
