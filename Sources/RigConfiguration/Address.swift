/// Where a coordinator is: `host:port`.
package struct Address: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, as it stands before a port: an IPv6 address is in brackets.
    package let host: String
    /// The TCP port of the plane that is meant.
    package let port: Int

    /// The port of a coordinator's control plane where none is given; the plane for operators is the next one.
    package static let defaultPort = 5670

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Reads `host`, `host:port`, `v6`, `[v6]` or `[v6]:port`.
    package init?(_ text: String, defaultPort: Int) {
        var host = Self.bracketed(text)
        var port = defaultPort
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            host = String(host[..<colon])
            port = number
        }
        guard host.wholeMatch(of: #/\[[^\[\]\/]+\]|[^\[\]\/:]+/#) != nil else { return nil }
        self.host = host
        self.port = port
    }

    /// Reads a name or an address without a port; nil where there is one.
    package static func host(_ text: String) -> String? {
        Self(text, defaultPort: 0).flatMap { $0.port == 0 ? $0.host : nil }
    }

    /// An address of IPv6 in brackets, and all others as they are.
    private static func bracketed(_ text: String) -> String {
        let isBare = text.count { $0 == ":" } > 1 && !text.hasPrefix("[")
        return isBare ? "[\(text)]" : text
    }

    package var description: String { "\(host):\(port)" }
}
