import Foundation

/// What every file system and every program in the field takes for a name.
enum PathRules {
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// Why a path is none; nil where it is one.
    static func objection(to path: String) -> String? {
        let own = [ExportManifest.name, "sha256sums", "lock", "originals"]
        if let first = path.split(separator: "/").first, own.contains(first.lowercased()) {
            return "'\(first)' is the export's own."
        }
        if path.hasSuffix(".part") { return "'.part' is for files on their way." }
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        for name in names {
            if name.isEmpty { return "a name in it is empty." }
            if name == "." || name == ".." { return "'\(name)' leads elsewhere." }
            if name.utf8.count > 255 { return "'\(name.prefix(20))...' is longer than 255 bytes." }
            if name.contains(where: isForbidden) { return "'\(name)' has a character that Windows does not take." }
            if name.hasSuffix(".") || name.hasSuffix(" ") || name.hasPrefix(" ") {
                return "'\(name)' begins with a space, or ends with one or a full stop, which Windows does not keep."
            }
            let stem = name.split(separator: ".", omittingEmptySubsequences: false).first.map { $0.lowercased() } ?? ""
            if reserved.contains(stem) { return "Windows keeps '\(stem)' for itself." }
        }
        return nil
    }

    /// A text as a part of a name: what some system does not take becomes an underscore.
    static func part(_ text: String) -> String {
        String(text.map { isForbidden($0) || $0 == "/" ? "_" : $0 })
    }

    /// The same for names that some system takes for one.
    static func key(_ path: String) -> String {
        // Only what is beyond ASCII can be written in two ways.
        let isPlain = path.utf8.allSatisfy { $0 < 0x80 }
        return (isPlain ? path : path.precomposedStringWithCanonicalMapping).lowercased()
    }

    private static func isForbidden(_ character: Character) -> Bool {
        switch character {
        case "<", ">", ":", "\"", "\\", "|", "?", "*": true
        default: character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }
    }
}
