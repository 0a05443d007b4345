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

    /// - Parameter hasPath: whether the catalogue says where it is.
    package init(_ id: PhotoID, _ slot: PhotoSlot, _ state: PhotoState, hasPath: Bool) {
        name = LibraryPath.name(of: id, slot)
        room =
            switch state {
            case .stored: .photos
            case .deleted: hasPath ? .trash : .nowhere
            case .pending, .failed: nil
            }
    }
}
