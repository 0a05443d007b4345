/// Where photos lie, relative to the library. Pure: the same photo always has the same path.
package enum LibraryPath {
    /// The folder of a capture's photos.
    ///
    /// - Parameter microseconds: when it was accepted, since the Unix epoch.
    package static func folder(of id: UniqueID, createdAt microseconds: Int64) -> String {
        "photos/\(Day(microsecondsSinceEpoch: microseconds))/\(id)"
    }

    /// The path of a photo.
    package static func photo(_ id: PhotoID, _ slot: PhotoSlot, createdAt microseconds: Int64) -> String {
        let step = slot.sequenceCount < 10 ? "0\(slot.sequenceCount)" : "\(slot.sequenceCount)"
        let folder = folder(of: id.uniqueID, createdAt: microseconds)
        return "\(folder)/\(id.node)_\(id.uniqueID)_\(step).\(slot.format.pathExtension)"
    }
}
