import Yams

/// Where a coordinator is: `host:port`.
package struct Address: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address; an IPv6 address with a port keeps its brackets.
    package let host: String
    /// The TCP port of the plane that is meant.
    package let port: Int

    /// The port of a coordinator's control plane where none is given; the plane for operators is the next one.
    package static let defaultPort = 5670

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Reads `host`, `host:port` or `[v6]:port`.
    package init?(_ text: String, defaultPort: Int) {
        var host = text
        var port = defaultPort
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            host = String(text[..<colon])
            port = number
        }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        self.host = host
        self.port = port
    }

    package var description: String { "\(host):\(port)" }
}
