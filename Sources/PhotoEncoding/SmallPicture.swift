import CTurboJPEG
package import CaptureModel

/// Small copies of finished pictures, for viewers and for embedding in files.
package enum SmallPicture {
    /// The dimensions of a picture fitted into a box, its shape kept; never larger than the picture.
    package static func fitted(_ size: Dimensions, into box: Dimensions) -> Dimensions {
        guard size.width > 0, size.height > 0 else { return .zero }
        let scale = min(1, Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
        return Dimensions(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded())))
    }

    /// A picture scaled down to fit.
    ///
    /// - Throws: ``EncodingError`` for a JPEG that is broken.
    package static func make(of picture: ProcessedImage, into box: Dimensions) throws(EncodingError) -> YUVImage {
        switch picture {
        case .yuv(let image): scaled(image, into: box)
        case .jpeg(let bytes): scaled(try JPEGEncoder.decode(bytes, atLeast: box), into: box)
        }
    }

    private static func scaled(_ image: YUVImage, into box: Dimensions) -> YUVImage {
        let size = fitted(image.dimensions, into: box)
        guard size != image.dimensions else { return image }
        let chroma = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        let planes = image.planes.enumerated().map { index, plane in
            averaged(plane, image.planeSize(index), to: index == 0 ? size : chroma)
        }
        let isGrey = image.subsampling == .grey
        return YUVImage(dimensions: size, subsampling: isGrey ? .grey : .yuv420, planes: planes)
    }

    /// Each pixel the mean of those that it stands for.
    private static func averaged(_ plane: [UInt8], _ from: Dimensions, to: Dimensions) -> [UInt8] {
        var small = [UInt8](repeating: 0, count: to.width * to.height)
        for row in 0..<to.height {
            let top = row * from.height / to.height
            let bottom = max(top + 1, (row + 1) * from.height / to.height)
            for column in 0..<to.width {
                let left = column * from.width / to.width
                let right = max(left + 1, (column + 1) * from.width / to.width)
                var sum = 0
                for y in top..<bottom { for x in left..<right { sum += Int(plane[y * from.width + x]) } }
                small[row * to.width + column] = UInt8(sum / ((bottom - top) * (right - left)))
            }
        }
        return small
    }
}
