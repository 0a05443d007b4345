import Glibc

/// What this machine calls itself.
package enum HostName {
    /// The name, with its domain where it has one. C: `gethostname`.
    package static var current: String {
        // Linux has no longer ones.
        var text = [CChar](repeating: 0, count: 65)
        gethostname(&text, text.count - 1)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
