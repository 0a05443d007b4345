/// Width and height in pixels.
public struct Dimensions: Hashable, Sendable, Codable, CustomStringConvertible {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    /// Both in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// What a resolved setting holds for a picture that will not be made.
    public static let zero = Dimensions(width: 0, height: 0)

    /// `640x480`.
    public var description: String { "\(width)x\(height)" }
}
