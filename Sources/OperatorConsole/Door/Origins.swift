import Foundation

/// Where browsers find the console: the names that it answers to, each with the scheme under which it is called so.
package struct Origins: Sendable {
    private var schemes: [String: String] = [:]

    /// - Parameter origins: such as `https://rig.example:5680`; of a scheme's own port, browsers leave it out.
    package init(_ origins: [String]) {
        for origin in origins {
            let parts = origin.lowercased().components(separatedBy: "://")
            guard parts.count == 2 else { continue }
            let port = parts[0] == "https" ? ":443" : ":80"
            for authority in [parts[1], parts[1].hasSuffix(port) ? String(parts[1].dropLast(port.count)) : parts[1]] {
                schemes[authority] = parts[0]
            }
        }
    }

    /// The origin of a page that was called under this name; nil where the console does not go by it.
    ///
    /// - Parameter authority: as browsers say it: `HOST[:PORT]`.
    package func origin(of authority: String?) -> String? {
        guard let authority = authority?.lowercased() else { return nil }
        return schemes[authority].map { "\($0)://\(authority)" }
    }

    /// Whether a browser that calls it so is to send its session over TLS alone.
    func isSecure(_ authority: String?) -> Bool { origin(of: authority)?.hasPrefix("https:") == true }
}
