import Foundation

/// The library within which a path lies, whether there is something at the path or not; nil for none.
///
/// What is in there is the coordinator's: a file that is replaced may be an original.
func enclosingLibrary(of path: String) -> String? {
    // Links on the way are followed, as whoever writes does.
    var place = URL(fileURLWithPath: path).standardizedFileURL
    while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
        place = place.deletingLastPathComponent()
    }
    place = place.resolvingSymlinksInPath()
    while true {
        if FileManager.default.fileExists(atPath: place.path + "/catalogue.sqlite") { return place.path }
        guard place.path != "/" else { return nil }
        place = place.deletingLastPathComponent()
    }
}
