package import CaptureModel
package import Posix

extension LibraryFolder {
    /// What brings a photo's file to where it belongs.
    package struct Move: Hashable, Sendable {
        /// The name of the file.
        package let name: String
        fileprivate let folder: String
        /// Where to; nil for a file that is removed.
        fileprivate let destination: String?
    }

    /// What has to be moved for a capture's photos to be where they belong: into the trash, back from there, or out of
    /// there for good. A file that is nowhere is not missed here.
    package func moves(
        _ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime
    ) throws(SystemError) -> [Move] {
        let home = LibraryPath.folder(of: id, createdAt: createdAt)
        let trash = LibraryPath.trash(of: id, createdAt: createdAt)
        let discarded = Set(try names(in: trash))
        guard !discarded.isEmpty || places.contains(where: { $0.room == .trash }) else { return [] }
        let kept = Set(try names(in: home))
        return places.compactMap { place in
            let name = place.name
            switch place.room {
            case .photos where discarded.contains(name) && !kept.contains(name):
                return Move(name: name, folder: trash, destination: home)
            case .trash where kept.contains(name) && !discarded.contains(name):
                return Move(name: name, folder: home, destination: trash)
            case .nowhere where discarded.contains(name): return Move(name: name, folder: trash, destination: nil)
            case .photos, .trash, .nowhere, nil: return nil
            }
        }
    }

    /// Moves files, durably.
    package func arrange(_ moves: [Move]) throws(SystemError) {
        for destination in Set(moves.compactMap(\.destination)) { try files.makeFolders("\(root)/\(destination)") }
        for move in moves {
            let path = "\(root)/\(move.folder)/\(move.name)"
            if let destination = move.destination {
                try files.rename(path, to: "\(root)/\(destination)/\(move.name)")
            } else {
                try files.remove(path)
            }
        }
        // A name must be durable before the former one is gone.
        for folder in Set(moves.compactMap(\.destination)) { try files.syncFolder("\(root)/\(folder)") }
        for folder in Set(moves.map(\.folder)) { try files.syncFolder("\(root)/\(folder)") }
        for folder in Set(moves.map(\.folder)) where folder.hasPrefix("trash/") {
            removeIfEmpty(folder)
            removeIfEmpty(files.parent(of: folder))
        }
    }

    /// How a capture's photos lie.
    ///
    /// - Returns: whether all are where they belong, and the names of those that belong in the trash and are nowhere.
    package func trash(
        _ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime
    ) throws(SystemError) -> (isArranged: Bool, lost: [String]) {
        let there = Set(
            try names(in: LibraryPath.trash(of: id, createdAt: createdAt))
                + names(in: LibraryPath.folder(of: id, createdAt: createdAt)))
        let lost = places.filter { $0.room == .trash && !there.contains($0.name) }.map(\.name)
        return (try moves(places, of: id, createdAt: createdAt).isEmpty, lost)
    }
}
