/// Where photos lie, relative to the library. Pure: the same photo always has the same path.
package enum LibraryPath {
    /// The folder of a capture's photos.
    ///
    /// - Parameter time: when it was accepted.
    package static func folder(of id: UniqueID, createdAt time: UTCTime) -> String {
        "photos/\(time.day)/\(id)"
    }

    /// The folder that takes what is deleted of a capture.
    package static func trash(of id: UniqueID, createdAt time: UTCTime) -> String {
        "trash/\(time.day)/\(id)"
    }

    /// Where a photo goes that is deleted.
    ///
    /// - Parameter path: where it was.
    package static func inTrash(_ path: String) -> String { "trash/" + path.dropFirst("photos/".count) }

    /// The path of a photo.
    package static func photo(_ id: PhotoID, _ slot: PhotoSlot, createdAt time: UTCTime) -> String {
        "\(folder(of: id.uniqueID, createdAt: time))/\(name(of: id, slot))"
    }

    /// The name of a photo's file.
    static func name(of id: PhotoID, _ slot: PhotoSlot) -> String {
        let step = slot.sequenceCount < 10 ? "0\(slot.sequenceCount)" : "\(slot.sequenceCount)"
        return "\(id.node)_\(id.uniqueID)_\(step).\(slot.format.pathExtension)"
    }
}
