/// Where a photo's file belongs.
package struct PhotoPlace: Sendable, Hashable {
    /// A folder of the library.
    package enum Room: Sendable, Hashable {
        case photos
        case trash
        /// It was in the trash, which was emptied since.
        case nowhere
    }

    /// The name of the file.
    package let name: String
    /// The folder that it belongs in; nil for a photo that is not there yet.
    package let room: Room?

    package init(_ id: PhotoID, _ slot: PhotoSlot, _ room: Room?) {
        name = LibraryPath.name(of: id, slot)
        self.room = room
    }
}
