/// The file of a delivered photo.
public struct PhotoFile: Hashable, Sendable, Codable {
    /// The size of the file.
    public let byteCount: Int
    /// Lower-case hexadecimal, of all bytes.
    public let sha256: String
    /// In pixels.
    public let dimensions: Dimensions
    /// The EXIF ImageUniqueID: 32 hexadecimal digits, different for each image.
    public let imageUniqueID: String

    /// What is known of a file once it is written.
    public init(byteCount: Int, sha256: String, dimensions: Dimensions, imageUniqueID: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        self.dimensions = dimensions
        self.imageUniqueID = imageUniqueID
    }
}
