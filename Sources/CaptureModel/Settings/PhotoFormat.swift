/// The kind of file that a photo is delivered as.
public enum PhotoFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// A processed photo, JPEG.
    case jpeg
    /// A lossless processed photo, TIFF: red, green and blue of 8 bits each, or luma as deep as the camera delivers it.
    case tiff
    /// A RAW photo, the sensor's Bayer samples in a DNG.
    case dng

    /// Whether it holds the sensor's samples rather than a finished picture.
    public var isRaw: Bool { self == .dng }

    /// The extension of its file names, without the dot.
    public var pathExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        case .dng: "dng"
        }
    }

    /// The format of files with this extension; nil for another's.
    public init?(pathExtension: some StringProtocol) {
        guard let format = Self.allCases.first(where: { $0.pathExtension == pathExtension }) else { return nil }
        self = format
    }

    /// How a file of this format begins: with JPEG's SOI marker and another one (ITU-T T.81, B.1.1.3), or with TIFF's byte
    /// order and 42 (TIFF 6.0, section 2), which a DNG is.
    public var signatures: [[UInt8]] {
        switch self {
        case .jpeg: [[0xFF, 0xD8, 0xFF]]
        case .tiff, .dng: [[0x49, 0x49, 0x2A, 0x00], [0x4D, 0x4D, 0x00, 0x2A]]
        }
    }

    /// How many bytes tell the format of a file.
    public static let signatureByteCount = 4

    /// Whether a file that begins so can be of this format.
    ///
    /// - Parameter bytes: the first ``signatureByteCount`` of the file, or more.
    public func fits(_ bytes: some Collection<UInt8>) -> Bool { signatures.contains { bytes.starts(with: $0) } }
}
