/// A place to which `volley copy` has brought photos.
package struct PlaceOfCopies: Codable, Sendable, Hashable {
    /// How rclone names it, and the beginning of its mark's hash.
    package var place: String
    /// How many photos it has.
    package var photoCount: Int
    /// When the one of them that was read back longest ago was read: what became of it since is not known.
    package var oldestReadAt: UTCTime

    package init(place: String, photoCount: Int, oldestReadAt: UTCTime) {
        (self.place, self.photoCount, self.oldestReadAt) = (place, photoCount, oldestReadAt)
    }
}
