public import CaptureModel
public import PhotoEncoding

/// A delivered photo, or what is known of one that failed. Apple: `AVCapturePhoto`.
public struct Photo: Sendable {
    /// Everything but the file; without a time for a failed photo, as Apple has it.
    public var record: PhotoRecord
    /// The bytes of the file; nil for a failed photo.
    public var fileData: [UInt8]?
    /// Of the picture; zero by zero for a failed photo.
    public var dimensions: Dimensions
    /// A small copy for a viewer, where one was asked for.
    public var preview: YUVImage?
    /// 32 hexadecimal digits, as in the file's EXIF.
    public var imageUniqueID: String
    /// What the request became on this camera.
    public let resolvedSettings: ResolvedPhotoSettings
}
