/// A place in the picture: (0, 0) is the upper left corner, (1, 1) the lower right one.
public struct Point: Hashable, Sendable, Codable {
    /// From left to right, 0...1.
    public var x: Double
    /// From top to bottom, 0...1.
    public var y: Double

    /// A place by its shares of width and height.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }

    /// The middle of the picture.
    public static let centre = Point(x: 0.5, y: 0.5)

    /// Whether both are within 0...1.
    public var isInPicture: Bool { (0...1).contains(x) && (0...1).contains(y) }
}
