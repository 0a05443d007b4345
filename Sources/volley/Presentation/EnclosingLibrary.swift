import Foundation

/// Why a command writes nothing into a folder: it is a library, or in one; nil where it may.
///
/// What is in there is the coordinator's: a file that is replaced may be an original.
func libraryObjection(toFolder path: String) -> String? {
    guard let library = enclosingLibrary(of: path) else { return nil }
    let isLibrary = library == URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let place = isLibrary ? "is a library" : "is in the library \(library)"
    return "\(path) \(place), which its coordinator keeps; name another folder."
}

/// Why a command does not write a file: it would be one of a library's; nil where it may.
///
/// Beside a catalogue a file of one's own may lie.
func libraryObjection(toFile path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
    guard let library = enclosingLibrary(of: folder.path) else { return nil }
    let isBeside = folder.resolvingSymlinksInPath().path == library
    if isBeside, !url.lastPathComponent.hasPrefix("catalogue.") { return nil }
    return "\(path) is in the library \(library), which its coordinator keeps; name another place."
}

/// The library within which a path lies, whether there is something at the path or not; nil for none.
private func enclosingLibrary(of path: String) -> String? {
    // Links on the way are followed, as whoever writes does.
    var place = URL(fileURLWithPath: path).standardizedFileURL
    while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
        place = place.deletingLastPathComponent()
    }
    place = place.resolvingSymlinksInPath()
    while true {
        // A backup of a catalogue may have its name.
        let isLibrary = ["catalogue.sqlite", "photos"].allSatisfy { name in
            FileManager.default.fileExists(atPath: place.appendingPathComponent(name).path)
        }
        if isLibrary { return place.path }
        guard place.path != "/" else { return nil }
        place = place.deletingLastPathComponent()
    }
}
