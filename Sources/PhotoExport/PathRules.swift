import Foundation

/// What every file system and every program in the field takes for a name.
enum PathRules {
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })
    /// What the export itself keeps in its folder.
    private static let own: Set<String> = [ExportManifest.name, "sha256sums", "lock", "originals", "remarks.txt"]

    /// The way out where a name comes from a session or a subject.
    private static let renaming = "`volley rename` gives a capture another session or subject."

    /// Of a whole path, so that it is one below some folder as well.
    private static let mostBytes = 1000

    /// Why a path is not allowed; nil if it is.
    ///
    /// All that it looks for is in ASCII: byte by byte, as there are many paths.
    static func objection(to path: String) -> String? {
        var path = path
        return path.withUTF8 { bytes in
            if bytes.count > mostBytes { return "'\(text(bytes.prefix(20)))...' is longer than \(mostBytes) bytes." }
            let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            if let first = names.first.map(text), own.contains(first.lowercased()) {
                return "'\(first)' is the export's own."
            }
            if bytes.suffix(5).elementsEqual(".part".utf8) { return "'.part' is for files on their way." }
            return names.lazy.compactMap(objection).first
        }
    }

    private static func objection(to name: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        let (stop, space) = (UInt8(ascii: "."), UInt8(ascii: " "))
        guard let first = name.first, let last = name.last else { return "a name in it is empty." }
        if first == stop, name.count == 1 || (name.count == 2 && last == stop) {
            return "'\(text(name))' leads elsewhere."
        }
        if name.count > 255 { return "'\(text(name).prefix(20))...' is longer than 255 bytes." }
        if name.contains(where: isForbidden) { return "'\(text(name))' has a character that Windows does not take." }
        if last == stop || last == space || first == space {
            return
                "'\(text(name))' begins with a space, or ends with one or a full stop, which Windows does not keep; \(renaming)"
        }
        let stem = name.prefix { $0 != stop }
        guard 3...4 ~= stem.count, case let word = text(stem).lowercased(), reserved.contains(word) else { return nil }
        return "Windows keeps '\(word)' for itself; \(renaming)"
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// A text as a part of a name: what some system does not take becomes an underscore.
    static func part(_ text: String) -> String {
        let bytes = text.utf8.map { isForbidden($0) || $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same for names that some system takes for one.
    static func key(_ path: String) -> String {
        var path = path
        let (isPlain, isLow) = path.withUTF8 { bytes in
            (bytes.allSatisfy { $0 < 0x80 }, !bytes.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
        }
        // Only what is beyond ASCII can be written in two ways.
        return isPlain ? isLow ? path : path.lowercased() : path.precomposedStringWithCanonicalMapping.lowercased()
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F: true
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "\""): true
        case UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "?"), UInt8(ascii: "*"): true
        default: false
        }
    }
}
